/*!40014 SET FOREIGN_KEY_CHECKS=0*/;
/*!40101 SET NAMES binary*/;
CREATE TABLE `stock` (
  `shelf` char(6) NOT NULL,
  `article` bigint(20) unsigned NOT NULL,
  `pieces` int(11) NOT NULL DEFAULT '0',
  `counted` timestamp(3) NULL DEFAULT NULL,
  `note` varchar(50) DEFAULT NULL COMMENT 'größer als gedacht',
  PRIMARY KEY (`shelf`,`article`) /*T![clustered_index] CLUSTERED */
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
