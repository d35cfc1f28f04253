-- MySQL dump 10.13  Distrib 9.1.0, for macos14 (arm64)
--
-- Host: localhost    Database: tracking
-- ------------------------------------------------------
CREATE TABLE `event` (
  `event_id` char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `kind` varchar(40) NOT NULL,
  `payload` json NOT NULL,
  `context` json DEFAULT (json_object()),
  `seen_at` timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  `device_time` datetime(6) DEFAULT NULL,
  `lag` time(6) DEFAULT NULL,
  `embedding` json DEFAULT NULL COMMENT 'list; of 384 numbers',
  PRIMARY KEY (`event_id`),
  KEY `kinds` ((cast(json_unquote(json_extract(`payload`,_utf8mb4'$.kind')) as char(40) charset utf8mb4)))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
CREATE TABLE `daily` (
  `day` date NOT NULL,
  `kind` varchar(40) NOT NULL,
  `n` bigint NOT NULL DEFAULT '0',
  `share` double DEFAULT NULL,
  `top` json DEFAULT NULL,
  PRIMARY KEY (`day`,`kind`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
