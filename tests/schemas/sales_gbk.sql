-- MySQL dump 10.13  Distrib 5.7.40, for Linux (x86_64)
--
-- Host: localhost    Database: xiaoshou
-- ------------------------------------------------------
/*!40101 SET NAMES gbk */;
CREATE TABLE `客户` (
  `编号` int(11) NOT NULL,
  `姓名` varchar(20) CHARACTER SET gbk DEFAULT '誠',
  `等级` enum('普通','会员') CHARACTER SET gbk NOT NULL DEFAULT '普通',
  `余额` decimal(12,2) DEFAULT NULL,
  `备注` text CHARACTER SET gbk COMMENT '乗 is 0x81 0x5C in part',
  PRIMARY KEY (`编号`)
) ENGINE=InnoDB DEFAULT CHARSET=gbk;
INSERT INTO `客户` VALUES (1,'誠','会员',1.00,'誠');
CREATE TABLE `订单` (
  `订单号` varchar(24) NOT NULL,
  `金额` decimal(12,2) NOT NULL,
  PRIMARY KEY (`订单号`)
) ENGINE=InnoDB DEFAULT CHARSET=gbk;
