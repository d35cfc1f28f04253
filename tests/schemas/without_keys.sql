USE audit;
CREATE TABLE `trail` (
  `happened` datetime NOT NULL,
  `who` varchar(60) DEFAULT NULL,
  `what` varchar(200) NOT NULL,
  `before_row` json DEFAULT NULL,
  `after_row` json DEFAULT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE `only_index` (
  `a` int DEFAULT NULL,
  `b` double DEFAULT NULL,
  KEY `a` (`a`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE `unique_not_null` (
  `code` varchar(12) NOT NULL,
  `weight` decimal(8,3) DEFAULT '1.000',
  UNIQUE KEY `code` (`code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE `unique_of_null` (
  `code` varchar(12) DEFAULT NULL,
  `amount` int NOT NULL DEFAULT '0',
  UNIQUE KEY `code` (`code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE `two_uniques` (
  `a` int NOT NULL,
  `b` int NOT NULL,
  `c` int NOT NULL,
  `t` tinytext,
  UNIQUE KEY `ab` (`a`,`b`),
  UNIQUE KEY `c` (`c`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
