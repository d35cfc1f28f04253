-- MySQL dump 10.13  Distrib 5.6.51, for Linux (x86_64)
--
-- Host: localhost    Database: library
-- ------------------------------------------------------
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO,ANSI' */;
CREATE TABLE "book" (
  "isbn" char(13) NOT NULL,
  "title" varchar(200) NOT NULL DEFAULT 'unknown',
  "pages" smallint(5) unsigned DEFAULT NULL,
  "price" decimal(7,2) DEFAULT NULL,
  "printed" year(4) DEFAULT NULL,
  PRIMARY KEY ("isbn"),
  KEY "title" ("title"(40))
);
CREATE TABLE "loan" (
  "isbn" char(13) NOT NULL,
  "day" date NOT NULL,
  "reader" int(11) NOT NULL,
  "back" tinyint(1) NOT NULL DEFAULT '0',
  PRIMARY KEY ("isbn","day","reader"),
  CONSTRAINT "loan_of" FOREIGN KEY ("isbn") REFERENCES "book" ("isbn")
);
