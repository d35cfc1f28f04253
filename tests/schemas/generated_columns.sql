-- MySQL dump 10.13  Distrib 8.4.0, for Linux (x86_64)
--
-- Host: localhost    Database: catalog
-- ------------------------------------------------------
CREATE TABLE `product` (
  `id` int NOT NULL AUTO_INCREMENT,
  `doc` json NOT NULL,
  `net` decimal(10,2) NOT NULL,
  `vat` decimal(4,3) NOT NULL DEFAULT '0.190',
  `gross` decimal(12,2) GENERATED ALWAYS AS (round((`net` * (1 + `vat`)),2)) STORED,
  `title` varchar(100) GENERATED ALWAYS AS (json_unquote(json_extract(`doc`,_utf8mb4'$.title'))) VIRTUAL,
  `title_key` varchar(100) COLLATE utf8mb4_bin GENERATED ALWAYS AS (lower(`title`)) VIRTUAL NOT NULL,
  `sku` char(8) GENERATED ALWAYS AS (json_unquote(json_extract(`doc`,_utf8mb4'$.sku'))) STORED NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `sku` (`sku`),
  KEY `title` (`title`),
  KEY `first_letter` ((left(`title`,1))),
  KEY `tags` ((cast(json_extract(`doc`,_utf8mb4'$.tags') as char(20) array)))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
CREATE TABLE `person` (
  `id` binary(16) NOT NULL DEFAULT (uuid_to_bin(uuid())),
  `first` varchar(40) DEFAULT NULL,
  `last` varchar(40) NOT NULL,
  `full` varchar(81) AS (concat_ws(' ',`first`,`last`)) STORED,
  `initial` char(1) AS (left(`last`,1)),
  `born` date DEFAULT NULL,
  `year_born` year GENERATED ALWAYS AS (year(`born`)) VIRTUAL,
  `hidden` int DEFAULT '3' /*!80023 INVISIBLE */,
  PRIMARY KEY (`id`),
  UNIQUE KEY `by_lower` ((lower(`last`)),`born`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
