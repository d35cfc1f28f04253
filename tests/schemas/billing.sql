CREATE DATABASE IF NOT EXISTS billing DEFAULT CHARACTER SET utf8mb4;
USE billing;

CREATE TABLE account (
  account_no CHAR(12) CHARACTER SET ascii NOT NULL,
  currency CHAR(3) NOT NULL,
  balance DECIMAL(18,4) NOT NULL DEFAULT 0,
  overdraft DECIMAL(18,4) UNSIGNED NULL,
  interest_rate DECIMAL(9,8),
  opened DATE NOT NULL,
  closed DATE NULL,
  frozen BOOLEAN NOT NULL DEFAULT FALSE,
  PRIMARY KEY (account_no, currency)
);

CREATE TABLE ledger_entry (
  entry_id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  account_no CHAR(12) CHARACTER SET ascii NOT NULL,
  booked_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  amount DECIMAL(20,6) NOT NULL,
  amount_eur DECIMAL(38,18),
  exchange_rate DOUBLE,
  widest DECIMAL(65,30) DEFAULT 1.5,
  cents NUMERIC(12) ZEROFILL,
  reference VARCHAR(35) DEFAULT '' COMMENT 'end-to-end; as the bank has it',
  reversal_of BIGINT NULL REFERENCES ledger_entry (entry_id),
  CONSTRAINT no_zero CHECK (amount <> 0),
  INDEX by_account (account_no, booked_at DESC)
) ENGINE = InnoDB;

CREATE TABLE invoice (
  invoice_no VARCHAR(20) NOT NULL,
  net DECIMAL(12,2) NOT NULL,
  vat DECIMAL(12,2) NOT NULL DEFAULT '0.00',
  paid DECIMAL(12,2) DEFAULT NULL,
  due DATE,
  UNIQUE (invoice_no)
);
