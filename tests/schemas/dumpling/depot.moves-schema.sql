/*!40014 SET FOREIGN_KEY_CHECKS=0*/;
/*!40101 SET NAMES binary*/;
CREATE TABLE `moves` (
  `at` datetime DEFAULT CURRENT_TIMESTAMP,
  `shelf` char(6) DEFAULT NULL,
  `change` mediumint(9) DEFAULT NULL,
  `reason` set('sale','return','loss') DEFAULT 'sale',
  `_tidb_like` double DEFAULT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin /*T! SHARD_ROW_ID_BITS=3 */;
