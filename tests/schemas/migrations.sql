-- 001
CREATE TABLE tickets.ticket (id INT NOT NULL, title VARCHAR(50), body TEXT, PRIMARY KEY (id));
CREATE TABLE tickets.old_people (id INT PRIMARY KEY, name VARCHAR(20));
-- 002
ALTER TABLE tickets.ticket ADD COLUMN state ENUM('open','done') NOT NULL DEFAULT 'open' AFTER id,
  ADD (opened DATETIME(3) DEFAULT NULL, price DECIMAL(9,2)), ADD UNIQUE KEY by_title (title);
-- 003
ALTER TABLE tickets.ticket MODIFY COLUMN id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT;
ALTER TABLE tickets.ticket CHANGE title headline VARCHAR(120) NOT NULL FIRST, DROP COLUMN body;
RENAME TABLE tickets.old_people TO tickets.person;
-- 004
ALTER TABLE tickets.person ADD COLUMN mail VARCHAR(80), RENAME COLUMN name TO full_name, ALTER COLUMN mail SET DEFAULT 'none';
ALTER TABLE tickets.person CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
ALTER TABLE tickets.ticket PARTITION BY HASH (id) PARTITIONS 4;
ALTER TABLE tickets.ticket DROP INDEX by_title, ADD INDEX by_price (price), ALGORITHM=INPLACE, LOCK=NONE;
-- 005
CREATE TABLE tickets.draft LIKE tickets.ticket;
CREATE TABLE tickets.gone (id INT PRIMARY KEY);
DROP TABLE tickets.gone;
ALTER TABLE tickets.person DROP PRIMARY KEY, ADD COLUMN uid BINARY(16) NOT NULL FIRST, ADD PRIMARY KEY (uid);
