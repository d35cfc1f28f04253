USE `orders_tidb`;
CREATE TABLE `customer` (
  `id` bigint(20) NOT NULL /*T![auto_rand] AUTO_RANDOM(5) */,
  `name` varchar(64) NOT NULL,
  `level` tinyint(3) unsigned NOT NULL DEFAULT '0',
  PRIMARY KEY (`id`) /*T![clustered_index] CLUSTERED */,
  UNIQUE KEY `uk_name` (`name`) /*T![global_index] GLOBAL */
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin /*T![auto_rand_base] AUTO_RANDOM_BASE=30001 */;
CREATE TABLE `item` (
  `order_id` varchar(32) NOT NULL,
  `no` int(11) NOT NULL,
  `price` decimal(15,2) NOT NULL DEFAULT '0.00',
  `picture` blob DEFAULT NULL,
  `search` vector(3) DEFAULT NULL,
  PRIMARY KEY (`order_id`,`no`) /*T![clustered_index] NONCLUSTERED */,
  KEY `by_price` (`price`) /*!80000 INVISIBLE */
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin /*T! SHARD_ROW_ID_BITS=4 PRE_SPLIT_REGIONS=2 */;
CREATE TABLE `session` (
  `token` binary(32) NOT NULL,
  `seen` timestamp DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  `data` json DEFAULT NULL,
  PRIMARY KEY (`token`) /*T![clustered_index] CLUSTERED */
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin /*T![ttl] TTL=`seen` + INTERVAL 7 DAY */ /*T![ttl] TTL_ENABLE='ON' */ /*T![ttl] TTL_JOB_INTERVAL='24h' */;
CREATE TABLE `counter` (
  `id` int(11) NOT NULL AUTO_INCREMENT,
  `hits` bigint(20) unsigned DEFAULT '0',
  PRIMARY KEY (`id`) /*T![clustered_index] CLUSTERED */
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin AUTO_INCREMENT=30001 /*T![auto_id_cache] AUTO_ID_CACHE=1 */ /*T![placement] PLACEMENT POLICY=`east` */;
CREATE TABLE `journal` (
  `id` bigint(20) NOT NULL,
  `at` datetime(6) NOT NULL,
  `txt` varchar(512) DEFAULT NULL,
  PRIMARY KEY (`id`,`at`) /*T![clustered_index] CLUSTERED */
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
PARTITION BY RANGE COLUMNS(`at`)
(PARTITION `p2023` VALUES LESS THAN ('2024-01-01'),
 PARTITION `p2024` VALUES LESS THAN ('2025-01-01') /*T![placement] PLACEMENT POLICY=`west` */,
 PARTITION `pmax` VALUES LESS THAN (MAXVALUE));
CREATE GLOBAL TEMPORARY TABLE `scratch` (
  `a` int(11) DEFAULT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ON COMMIT DELETE ROWS;
