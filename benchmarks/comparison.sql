-- The tables of `python -m benchmarks.comparison`: a shop as applications declare it. Messages have about 1.2 KB.
USE shop;
CREATE TABLE orders (
  id bigint unsigned NOT NULL,
  customer_id bigint NOT NULL,
  number varchar(24) NOT NULL,
  status enum('new','paid','packed','shipped','returned') NOT NULL,
  currency char(3) NOT NULL,
  net decimal(12,2) NOT NULL,
  tax decimal(12,2) NOT NULL,
  discount decimal(8,4),
  items int NOT NULL,
  is_gift tinyint(1) NOT NULL DEFAULT 0,
  note text,
  address varchar(160) NOT NULL,
  extra json,
  placed_at datetime NOT NULL,
  changed_at timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  PRIMARY KEY (id)
);
CREATE TABLE order_items (
  order_id bigint unsigned NOT NULL,
  line smallint unsigned NOT NULL,
  sku varchar(40) NOT NULL,
  title varchar(120) NOT NULL,
  quantity int NOT NULL,
  price decimal(10,2) NOT NULL,
  discount decimal(8,4),
  tax_rate decimal(5,3) NOT NULL,
  weight double,
  warehouse varchar(20),
  reserved_at datetime(3),
  created_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (order_id, line)
);
CREATE TABLE customers (
  id bigint NOT NULL AUTO_INCREMENT,
  email varchar(80) NOT NULL,
  first_name varchar(60),
  last_name varchar(60) NOT NULL,
  country char(2),
  street varchar(120),
  tier enum('basic','silver','gold') NOT NULL DEFAULT 'basic',
  wants set('letters','calls','offers'),
  profile json,
  born date,
  balance decimal(18,4) NOT NULL,
  visits int unsigned NOT NULL DEFAULT 0,
  joined_at datetime(3) NOT NULL,
  changed_at timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  PRIMARY KEY (id),
  UNIQUE KEY email (email)
);
