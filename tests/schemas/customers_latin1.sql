-- MySQL dump 10.11
--
-- Host: localhost    Database: kunden
-- ------------------------------------------------------
/*!40101 SET NAMES latin1 */;
CREATE TABLE `adresse` (
  `nr` int(11) NOT NULL auto_increment,
  `straße` varchar(60) NOT NULL default '',
  `ort` varchar(40) default 'Köln',
  `anrede` enum('Herr','Frau','Fräulein') NOT NULL default 'Frau',
  `bemerkung` text,
  `wert` float default NULL,
  PRIMARY KEY  (`nr`)
) ENGINE=MyISAM DEFAULT CHARSET=latin1;
INSERT INTO `adresse` VALUES (1,'Hauptstraße; 1','Köln','Frau','\'ö\'',1.5);
CREATE TABLE `umsatz` (
  `nr` int(11) NOT NULL,
  `jahr` year(4) NOT NULL,
  `betrag` decimal(10,2) default NULL,
  PRIMARY KEY  (`nr`,`jahr`)
) ENGINE=MyISAM DEFAULT CHARSET=latin1 COLLATE=latin1_german2_ci;
