-- what the HR application creates at its first start
USE hr

CREATE TABLE IF NOT EXISTS department (
    id      INTEGER UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,   -- surrogate
    code    CHARACTER(4) NOT NULL UNIQUE,
    title   CHARACTER VARYING(80) NOT NULL,
    budget  NUMERIC(14,2) DEFAULT 0,
    active  BOOLEAN NOT NULL DEFAULT TRUE
);

# a comment of the other kind; with a semicolon
create table if not exists employee (
    id              int primary key,
    department_id   int unsigned,
    first_name      national varchar(50),
    last_name       nvarchar(50) not null,
    hired           date not null,
    `left`          date,
    salary          real,
    bonus           double precision default 0.5,
    share           float default 0,
    part_time       bool,
    hours           int1,
    vacation        int2 default 30,
    badge           int8,
    photo           long varbinary,
    cv              long varchar,
    phone           char(20) character set latin1,
    foreign key (department_id) references department(id) on delete set null,
    check (salary > 0)
);

CREATE TABLE IF NOT EXISTS department (ignored INT);

CREATE INDEX by_name ON employee (last_name, first_name);
CREATE UNIQUE INDEX by_badge ON employee (badge);
