USE calendar;
CREATE TABLE `appointment` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `begins` datetime NOT NULL DEFAULT '1970-01-01 00:00:00',
  `ends` datetime NOT NULL DEFAULT '9999-12-31 23:59:59',
  `begins_exact` datetime(6) NOT NULL DEFAULT '1000-01-01 00:00:00.000000',
  `day` date NOT NULL DEFAULT '0000-00-00',
  `day_or_none` date DEFAULT '1999-09-09',
  `at` time DEFAULT '08:30:00',
  `at_exact` time(6) DEFAULT NULL,
  `longest` time NOT NULL DEFAULT '838:59:59',
  `season` year NOT NULL DEFAULT '2024',
  `seen` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  `remind` timestamp(6) NULL DEFAULT '2001-02-03 04:05:06.000000',
  `zero_ok` datetime DEFAULT '0000-00-00 00:00:00',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE `slot` (
  `room` smallint NOT NULL,
  `begins` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  `ends` timestamp NULL DEFAULT NULL,
  PRIMARY KEY (`room`,`begins`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE `holiday` (
  `day` date NOT NULL,
  `name` varchar(60) DEFAULT NULL,
  PRIMARY KEY (`day`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
