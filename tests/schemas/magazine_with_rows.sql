-- MySQL dump 10.13  Distrib 5.7.44, for linux-glibc2.12 (x86_64)
--
-- Host: 127.0.0.1    Database: magazine
-- ------------------------------------------------------
-- Server version	5.7.44-log

/*!40101 SET NAMES utf8 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

DROP TABLE IF EXISTS `mg_articles`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8 */;
CREATE TABLE `mg_articles` (
  `ID` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `writer` bigint(20) unsigned NOT NULL DEFAULT '0',
  `written` datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
  `written_gmt` datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
  `body` longtext COLLATE utf8mb4_unicode_520_ci NOT NULL,
  `heading` text COLLATE utf8mb4_unicode_520_ci NOT NULL,
  `phase` varchar(20) COLLATE utf8mb4_unicode_520_ci NOT NULL DEFAULT 'publish',
  `secret` varchar(255) COLLATE utf8mb4_unicode_520_ci NOT NULL DEFAULT '',
  `place_in_menu` int(11) NOT NULL DEFAULT '0',
  `replies` bigint(20) NOT NULL DEFAULT '0',
  PRIMARY KEY (`ID`),
  KEY `phase_written` (`phase`,`written`,`ID`)
) ENGINE=InnoDB AUTO_INCREMENT=18 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES `mg_articles` WRITE;
/*!40000 ALTER TABLE `mg_articles` DISABLE KEYS */;
INSERT INTO `mg_articles` VALUES (1,1,'2019-03-01 08:00:00','2019-03-01 07:00:00','It\'s here; we say \"hello\".\n-- not a comment\n/* nor this','A; B','publish','',0,0),(2,1,'2019-03-02 08:00:00','2019-03-02 07:00:00','CREATE TABLE `in_a_text` (a int);','it''s `quoted`','draft','',0,3);
INSERT INTO `mg_articles` VALUES (3,2,'0000-00-00 00:00:00','0000-00-00 00:00:00','\\','#','draft','',0,0);
/*!40000 ALTER TABLE `mg_articles` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `mg_extra`;
CREATE TABLE `mg_extra` (
  `extra_id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `article_id` bigint(20) unsigned NOT NULL DEFAULT '0',
  `extra_name` varchar(255) COLLATE utf8mb4_unicode_520_ci DEFAULT NULL,
  `extra_text` longtext COLLATE utf8mb4_unicode_520_ci,
  PRIMARY KEY (`extra_id`),
  KEY `article_id` (`article_id`),
  KEY `extra_name` (`extra_name`(191))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

LOCK TABLES `mg_extra` WRITE;
/*!40000 ALTER TABLE `mg_extra` DISABLE KEYS */;
INSERT INTO `mg_extra` VALUES (1,1,'_layout','a:2:{s:1:\"x\";i:1;s:1:\"y\";s:5:\"a;b\'c\";}');
/*!40000 ALTER TABLE `mg_extra` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `mg_settings`;
CREATE TABLE `mg_settings` (
  `setting_id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `setting_name` varchar(191) COLLATE utf8mb4_unicode_520_ci NOT NULL DEFAULT '',
  `setting_text` longtext COLLATE utf8mb4_unicode_520_ci NOT NULL,
  `at_start` varchar(20) COLLATE utf8mb4_unicode_520_ci NOT NULL DEFAULT 'yes',
  PRIMARY KEY (`setting_id`),
  UNIQUE KEY `setting_name` (`setting_name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;

-- Dump completed on 2023-11-20  3:00:01
