USE `o'clock`;
CREATE TABLE `my``table` (
  `a``b` int NOT NULL,
  `two words` varchar(20) DEFAULT 'it''s; "here"' COMMENT 'a \'quoted\' remark, with (parentheses',
  `select` bigint unsigned DEFAULT NULL,
  `größe` decimal(10,2) DEFAULT NULL,
  `名称` varchar(30) DEFAULT '未命名',
  `emoji😀` json DEFAULT NULL,
  `A.B` double DEFAULT NULL,
  `back\slash` varchar(9) DEFAULT '\\',
  `percent%` enum('100 %','it''s','say "x"','a\\b','') DEFAULT NULL,
  PRIMARY KEY (`a``b`),
  UNIQUE KEY `odd ``key` (`two words`)
);
CREATE TABLE order_ (
  key_ INT,
  period DATE,
  comment VARCHAR(10) NOT NULL,
  status TINYINT,
  offset_ SMALLINT,
  date DATE,
  time TIME,
  timestamp TIMESTAMP NULL,
  text TEXT,
  year YEAR,
  bit BIT(3),
  enum ENUM('x'),
  action INT,
  $dollar INT,
  2nd INT,
  PRIMARY KEY (Comment)
);
