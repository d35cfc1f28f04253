-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: localhost    Database: maps
-- ------------------------------------------------------
CREATE TABLE `place` (
  `id` int NOT NULL AUTO_INCREMENT,
  `name` varchar(100) NOT NULL,
  `at` point NOT NULL /*!80003 SRID 4326 */,
  `height` decimal(6,1) DEFAULT NULL,
  PRIMARY KEY (`id`),
  SPATIAL KEY `at` (`at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE `area` (
  `id` int NOT NULL,
  `outline` polygon DEFAULT NULL,
  `parts` multipolygon DEFAULT NULL,
  `anything` geometry DEFAULT NULL,
  `many` geomcollection DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE `street` (
  `id` int NOT NULL,
  `name` varchar(80) NOT NULL,
  `old_name` varchar(80) DEFAULT NULL,
  `length_m` double DEFAULT NULL,
  PRIMARY KEY (`id`),
  FULLTEXT KEY `search` (`name`,`old_name`) /*!50100 WITH PARSER `ngram` */ 
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
