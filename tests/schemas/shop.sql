-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: db1.internal    Database: shop
-- ------------------------------------------------------
-- Server version	8.0.36-commercial

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!50503 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
SET @MYSQLDUMP_TEMP_LOG_BIN = @@SESSION.SQL_LOG_BIN;
SET @@SESSION.SQL_LOG_BIN= 0;

--
-- GTID state at the beginning of the backup
--

SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ '3e11fa47-71ca-11e1-9e33-c80aa9429562:1-88412';

--
-- Table structure for table `customer`
--

DROP TABLE IF EXISTS `customer`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `customer` (
  `customer_id` bigint unsigned NOT NULL AUTO_INCREMENT,
  `email` varchar(190) COLLATE utf8mb4_0900_as_cs NOT NULL,
  `display_name` varchar(120) DEFAULT NULL,
  `country` char(2) NOT NULL DEFAULT 'DE',
  `newsletter` tinyint(1) NOT NULL DEFAULT '0',
  `tier` enum('basic','silver','gold') NOT NULL DEFAULT 'basic',
  `interests` set('books','games','music','garden') DEFAULT NULL,
  `birthday` date DEFAULT NULL,
  `settings` json DEFAULT NULL,
  `created_at` datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  `updated_at` timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  PRIMARY KEY (`customer_id`),
  UNIQUE KEY `uk_email` (`email`),
  KEY `ix_country` (`country`,`tier`)
) ENGINE=InnoDB AUTO_INCREMENT=120045 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci COMMENT='people; who buy, or may buy';
/*!40101 SET character_set_client = @saved_cs_client */;

DROP TABLE IF EXISTS `purchase`;
CREATE TABLE `purchase` (
  `purchase_id` bigint unsigned NOT NULL AUTO_INCREMENT,
  `customer_id` bigint unsigned NOT NULL,
  `state` enum('cart','paid','sent','back') NOT NULL DEFAULT 'cart',
  `total` decimal(12,2) NOT NULL DEFAULT '0.00',
  `tax_rate` decimal(5,4) DEFAULT NULL,
  `note` text,
  `paid_at` timestamp NULL DEFAULT NULL,
  `client_ip` varbinary(16) DEFAULT NULL,
  PRIMARY KEY (`purchase_id`),
  KEY `fk_customer` (`customer_id`),
  CONSTRAINT `fk_customer` FOREIGN KEY (`customer_id`) REFERENCES `customer` (`customer_id`) ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT `ck_total` CHECK ((`total` >= 0))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

DROP TABLE IF EXISTS `purchase_line`;
CREATE TABLE `purchase_line` (
  `purchase_id` bigint unsigned NOT NULL,
  `line_no` smallint unsigned NOT NULL,
  `sku` varchar(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `quantity` int unsigned NOT NULL DEFAULT '1',
  `unit_price` decimal(10,2) NOT NULL,
  `weight_kg` double DEFAULT NULL,
  `gift` bit(1) NOT NULL DEFAULT b'0',
  PRIMARY KEY (`purchase_id`,`line_no`),
  CONSTRAINT `fk_line` FOREIGN KEY (`purchase_id`) REFERENCES `purchase` (`purchase_id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,NO_ZERO_DATE' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`app`@`%`*/ /*!50003 TRIGGER `line_total` AFTER INSERT ON `purchase_line` FOR EACH ROW BEGIN
  -- what it adds up; line by line
  UPDATE purchase SET total = total + NEW.quantity * NEW.unit_price WHERE purchase_id = NEW.purchase_id;
END */;;
DELIMITER ;

--
-- Temporary view structure for view `open_purchase`
--

DROP TABLE IF EXISTS `open_purchase`;
/*!50001 DROP VIEW IF EXISTS `open_purchase`*/;
SET @saved_cs_client     = @@character_set_client;
/*!50001 CREATE VIEW `open_purchase` AS SELECT 
 1 AS `purchase_id`,
 1 AS `total`*/;
SET character_set_client = @saved_cs_client;

/*!50001 DROP VIEW IF EXISTS `open_purchase`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`app`@`%` SQL SECURITY DEFINER */
/*!50001 VIEW `open_purchase` AS select `purchase`.`purchase_id` AS `purchase_id`,`purchase`.`total` AS `total` from `purchase` where (`purchase`.`state` = 'cart') */;
SET @@SESSION.SQL_LOG_BIN = @MYSQLDUMP_TEMP_LOG_BIN;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

-- Dump completed on 2024-05-14 11:02:17
