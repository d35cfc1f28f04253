-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: localhost    Database: 
-- ------------------------------------------------------
SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ '3e11fa47-71ca-11e1-9e33-c80aa9429562:1-20,
4e11fa47-71ca-11e1-9e33-c80aa9429562:1-7';

--
-- Current Database: `crm`
--

CREATE DATABASE /*!32312 IF NOT EXISTS*/ `crm` /*!40100 DEFAULT CHARACTER SET utf8mb3 */ /*!80016 DEFAULT ENCRYPTION='N' */;

USE `crm`;
CREATE TABLE `contact` (
  `id` int NOT NULL AUTO_INCREMENT,
  `name` varchar(60) COLLATE utf8mb3_unicode_ci DEFAULT NULL,
  `rank` float DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb3;
/*!50106 SET @save_time_zone= @@TIME_ZONE */ ;
/*!50106 DROP EVENT IF EXISTS `nightly` */;
DELIMITER ;;
/*!50106 CREATE*/ /*!50117 DEFINER=`root`@`localhost`*/ /*!50106 EVENT `nightly` ON SCHEDULE EVERY 1 DAY STARTS '2024-01-01 03:00:00' ON COMPLETION NOT PRESERVE ENABLE DO BEGIN
  DELETE FROM contact WHERE name IS NULL;
  CREATE TABLE made_by_an_event (a INT);
END */ ;;
DELIMITER ;
/*!50003 DROP PROCEDURE IF EXISTS `tidy` */;
DELIMITER $$
CREATE DEFINER=`root`@`localhost` PROCEDURE `tidy`(IN days INT)
BEGIN
  DECLARE n INT DEFAULT 0; -- with a 'quote
  CREATE TEMPORARY TABLE scratch (a INT);
  IF days > 0 THEN DELETE FROM contact LIMIT 1; END IF;
END$$
CREATE FUNCTION `twice`(x INT) RETURNS int DETERMINISTIC RETURN x * 2$$
DELIMITER ;

--
-- Current Database: `wiki`
--

CREATE DATABASE /*!32312 IF NOT EXISTS*/ `wiki` /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci */;

USE `wiki`;
CREATE TABLE `contact` (
  `page` varbinary(255) NOT NULL,
  `visits` bigint unsigned NOT NULL DEFAULT '0',
  `touched` binary(14) NOT NULL DEFAULT '\0\0\0\0\0\0\0\0\0\0\0\0\0\0',
  `body` mediumblob,
  PRIMARY KEY (`page`)
) ENGINE=InnoDB DEFAULT CHARSET=binary;
/*!50001 CREATE TABLE `a_view` (
  `page` tinyint NOT NULL
) ENGINE=MyISAM */;
/*!50001 DROP TABLE IF EXISTS `a_view`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED SQL SECURITY DEFINER VIEW `a_view` AS select 1 AS `page` */;
