-- The same statements for SQLite and PostgreSQL. Amounts are exact cents as fractions in text
-- ("15/2"), times are text in UTC, which sorts as it runs.

-- What happened, in its order, never changed: every amount leaves one account and enters another,
-- and each line carries the hash of the one before it. Everything below can be recomputed from it.
CREATE TABLE ledger (
    number    BIGINT PRIMARY KEY,
    at        TEXT NOT NULL,
    reference TEXT NOT NULL,
    kind      TEXT NOT NULL,
    source    TEXT NOT NULL,
    target    TEXT NOT NULL,
    cents     TEXT NOT NULL,
    detail    TEXT NOT NULL,
    rules     TEXT NOT NULL,
    hash      TEXT NOT NULL
);

-- What has been asked for, by its key: asked again, it is answered from the ledger.
CREATE TABLE operations (
    reference TEXT PRIMARY KEY,
    request   TEXT NOT NULL,
    first     BIGINT NOT NULL,
    last      BIGINT NOT NULL
);

CREATE TABLE accounts (
    name  TEXT PRIMARY KEY,
    cents TEXT NOT NULL
);

CREATE TABLE systems (
    name    TEXT PRIMARY KEY,
    bet     TEXT NOT NULL,
    cost    BIGINT NOT NULL,
    payable BIGINT NOT NULL,
    closed  BIGINT NOT NULL
);

-- `required` is what 21.5.2 and 24.5.2 demand that the meter records at least.
CREATE TABLE meters (
    system   TEXT NOT NULL,
    name     TEXT NOT NULL,
    seed     TEXT NOT NULL,
    rate     TEXT NOT NULL,
    required TEXT NOT NULL,
    PRIMARY KEY (system, name)
);

-- A table is in one group only (21.5.1(c)): its name is the key.
CREATE TABLE members (
    table_name TEXT PRIMARY KEY,
    system     TEXT NOT NULL,
    since      TEXT NOT NULL
);

-- `sign` is the key that whoever displayed it gave it.
CREATE TABLE notices (
    sign       TEXT PRIMARY KEY,
    number     BIGINT NOT NULL,
    kind       TEXT NOT NULL,
    table_name TEXT NOT NULL,
    system     TEXT NOT NULL,
    target     TEXT NOT NULL,
    at         TEXT NOT NULL,
    done       BIGINT NOT NULL
);

-- One jackpot wager a box and round; `state` is placed, settled, retracted or void.
CREATE TABLE wagers (
    table_name TEXT NOT NULL,
    round      BIGINT NOT NULL,
    box        BIGINT NOT NULL,
    system     TEXT NOT NULL,
    owner      TEXT NOT NULL,
    cents      BIGINT NOT NULL,
    stake_back BIGINT NOT NULL,
    state      TEXT NOT NULL,
    PRIMARY KEY (table_name, round, box)
);

-- One prize a box and round by its cards, and one by being picked: the key forbids a second.
CREATE TABLE prizes (
    table_name TEXT NOT NULL,
    round      BIGINT NOT NULL,
    box        BIGINT NOT NULL,
    by         TEXT NOT NULL,
    hand       TEXT NOT NULL,
    cents      BIGINT NOT NULL,
    PRIMARY KEY (table_name, round, box, by)
);
