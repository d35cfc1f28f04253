USE measures;
CREATE TABLE `scale` (
  `id` mediumint unsigned NOT NULL AUTO_INCREMENT,
  `f` float NOT NULL DEFAULT '0',
  `f24` float(24) DEFAULT NULL,
  `f53` float(53) DEFAULT NULL,
  `fmd` float(10,3) DEFAULT '0.250',
  `d` double NOT NULL DEFAULT '0.1',
  `dmd` double(20,8) DEFAULT NULL,
  `du` double unsigned DEFAULT NULL,
  `zero_i` int(8) unsigned zerofill NOT NULL DEFAULT '00000007',
  `zero_s` smallint(6) zerofill DEFAULT NULL,
  `w` int(3) DEFAULT NULL,
  `bits` bit(8) DEFAULT b'11111111',
  `bits33` bit(33) DEFAULT NULL,
  PRIMARY KEY (`id`)
);
CREATE TABLE `pair` (
  `a` decimal(8,3) NOT NULL,
  `b` bigint NOT NULL,
  `c` decimal(4,4) DEFAULT '0.5000',
  `e` decimal(20,0) unsigned DEFAULT NULL,
  PRIMARY KEY (`a`,`b`)
);
