-- phpMyAdmin SQL Dump
-- version 5.2.1
-- https://www.phpmyadmin.net/
--
-- Host: localhost:3306
-- Generation Time: Mar 04, 2024 at 10:11 AM
-- Server version: 8.0.35
-- PHP Version: 8.2.4

SET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";
START TRANSACTION;
SET time_zone = "+00:00";


/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET NAMES utf8mb4 */;

--
-- Database: `club_house`
--

-- --------------------------------------------------------

--
-- Table structure for table `members`
--

CREATE TABLE `members` (
  `id` int(11) NOT NULL,
  `login` varchar(60) NOT NULL,
  `hash` binary(60) NOT NULL,
  `since` date NOT NULL DEFAULT '2001-01-01',
  `fee` float(6,2) DEFAULT 0.00,
  `active` tinyint(1) NOT NULL DEFAULT 1,
  `photo` mediumblob DEFAULT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

--
-- Dumping data for table `members`
--

INSERT INTO `members` (`id`, `login`, `hash`, `since`, `fee`, `active`, `photo`) VALUES
(1, 'ann', 0x24, '2001-01-01', 12.50, 1, NULL),
(2, 'o\'neil; the second', 0x24, '2010-01-01', 0.00, 0, NULL);

-- --------------------------------------------------------

CREATE TABLE `visits` (
  `member` int(11) NOT NULL,
  `came` datetime NOT NULL DEFAULT current_timestamp(),
  `left_at` datetime DEFAULT NULL,
  `paid` decimal(6,2) DEFAULT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

--
-- Indexes for dumped tables
--

ALTER TABLE `members`
  ADD PRIMARY KEY (`id`),
  ADD UNIQUE KEY `login` (`login`),
  ADD KEY `since` (`since`);

ALTER TABLE `visits`
  ADD PRIMARY KEY (`member`,`came`),
  ADD KEY `came` (`came`);

--
-- AUTO_INCREMENT for dumped tables
--

ALTER TABLE `members`
  MODIFY `id` int(11) NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=3;

--
-- Constraints for dumped tables
--

ALTER TABLE `visits`
  ADD CONSTRAINT `visits_of` FOREIGN KEY (`member`) REFERENCES `members` (`id`) ON DELETE CASCADE;
COMMIT;

/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
