CREATE DATABASE /*!32312 IF NOT EXISTS*/ `game` /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci */ /*!80016 DEFAULT ENCRYPTION='N' */;

USE `game`;

CREATE TABLE `player` (
  `player_id` binary(16) NOT NULL,
  `nick` varchar(24) COLLATE utf8mb4_bin NOT NULL,
  `rating` smallint NOT NULL DEFAULT '1200',
  `coins` bigint unsigned NOT NULL DEFAULT '0',
  `banned` tinyint(1) NOT NULL DEFAULT '0',
  `rights` set('chat','trade','host','moderate') NOT NULL DEFAULT 'chat',
  `class` enum('mage','knight','thief') DEFAULT NULL,
  `switches` bit(32) NOT NULL DEFAULT b'0',
  `avatar` blob,
  `last_seen` timestamp(3) NULL DEFAULT NULL,
  PRIMARY KEY (`player_id`),
  UNIQUE KEY `nick` (`nick`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE `match_result` (
  `match_id` bigint unsigned NOT NULL,
  `player_id` binary(16) NOT NULL,
  `place` tinyint unsigned NOT NULL,
  `points` mediumint NOT NULL,
  `accuracy` float DEFAULT NULL,
  `length` time(3) NOT NULL,
  `replay` longblob,
  `won` bit(1) DEFAULT NULL,
  PRIMARY KEY (`match_id`,`player_id`),
  KEY `player_id` (`player_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8;

CREATE TABLE `inventory` (
  `player_id` binary(16) NOT NULL,
  `slot` tinyint unsigned NOT NULL,
  `item` varchar(40) CHARACTER SET ascii COLLATE ascii_general_ci DEFAULT NULL,
  `amount` int unsigned NOT NULL DEFAULT '1',
  `bonus` json DEFAULT NULL,
  `worth` double DEFAULT NULL,
  PRIMARY KEY (`player_id`,`slot`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
