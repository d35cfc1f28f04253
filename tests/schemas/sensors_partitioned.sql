-- MySQL dump 10.13  Distrib 8.0.33, for Linux (aarch64)
--
-- Host: localhost    Database: plant
-- ------------------------------------------------------
/*!50503 SET NAMES utf8mb4 */;

CREATE TABLE `reading` (
  `sensor_id` int unsigned NOT NULL,
  `taken_at` datetime(3) NOT NULL,
  `temperature` float DEFAULT NULL,
  `pressure` double DEFAULT NULL,
  `humidity` decimal(5,2) DEFAULT NULL,
  `raw` smallint NOT NULL DEFAULT '-1',
  `flags` bit(12) DEFAULT b'101',
  `battery` tinyint unsigned DEFAULT NULL,
  PRIMARY KEY (`sensor_id`,`taken_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci
/*!50100 PARTITION BY RANGE (to_days(`taken_at`))
(PARTITION p202401 VALUES LESS THAN (739282) ENGINE = InnoDB,
 PARTITION p202402 VALUES LESS THAN (739311) COMMENT = 'short; one day more' ENGINE = InnoDB,
 PARTITION pmax VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */;

CREATE TABLE `alarm` (
  `alarm_id` bigint NOT NULL AUTO_INCREMENT,
  `sensor_id` int unsigned NOT NULL,
  `level` enum('info','warn','fault') NOT NULL,
  `raised` timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  `text` varchar(200) DEFAULT NULL,
  PRIMARY KEY (`alarm_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
/*!50100 PARTITION BY HASH (`alarm_id`)
PARTITIONS 8 */;

CREATE TABLE `by_day` (
  `day` date NOT NULL,
  `region` varchar(8) NOT NULL,
  `mean` double NOT NULL,
  `runtime` time(2) DEFAULT NULL,
  PRIMARY KEY (`day`,`region`)
) ENGINE=InnoDB
/*!50500 PARTITION BY LIST  COLUMNS(region)
(PARTITION north VALUES IN ('n','nw','ne') ENGINE = InnoDB,
 PARTITION south VALUES IN ('s') ENGINE = InnoDB) */;
