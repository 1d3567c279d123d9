-- The configuration, one row per resource. Runs on H2 and on PostgreSQL.
-- Each row carries the revision of the whole configuration at which it last changed.
-- H2 commits each statement by itself, so each can find its work done by a start that was cut off.

create table if not exists config_state (
    id        integer     not null primary key check (id = 1),
    revision  bigint      not null,
    -- a random id of the change that made this revision: a database that was put back to an older state may reach the
    -- same number again, with something else in it
    change_id varchar(36) not null
);

insert into config_state (id, revision, change_id)
select 1, 0, '' where not exists (select 1 from config_state);

-- what the nodes that share this database say of themselves
create table if not exists node (
    id              varchar(36)              not null primary key,
    name            varchar(255)             not null,
    version         varchar(64)              not null,
    started_at      timestamp with time zone not null,
    -- by the clock of the database
    last_seen       timestamp with time zone not null,
    -- of the configuration that runs there
    revision        bigint                   not null,
    -- what it could not apply, and why; null if nothing
    failed_revision bigint,
    failure         text
);

create table if not exists upstream (
    name                  varchar(64)  not null primary key,
    revision              bigint       not null,
    -- HTTP or STREAM
    protocol              varchar(16)  not null,
    balancing_method      varchar(64)  not null,
    balancing_arguments   text         not null,
    keepalive_connections integer      not null,
    keepalive_local       boolean      not null,
    keepalive_requests    integer      not null,
    keepalive_time        varchar(64)  not null,
    keepalive_timeout     varchar(64)  not null,
    -- how requests of one client are kept at one server: empty for not at all, or cookie, route or learn
    sticky_type           varchar(16)  not null,
    sticky                text         not null,
    next_server_id        integer      not null
);

create table if not exists server (
    upstream     varchar(64)  not null references upstream (name),
    id           integer      not null,
    position     integer      not null,
    revision     bigint       not null,
    address      varchar(300) not null,
    weight       integer      not null,
    max_conns    integer      not null,
    max_fails    integer      not null,
    fail_timeout varchar(64)  not null,
    slow_start   varchar(64)  not null,
    backup       boolean      not null,
    state        varchar(16)  not null,
    route        varchar(32)  not null,
    -- what a drain was asked for and how it has ended; null for none
    drain        text,
    primary key (upstream, id)
);

create table if not exists listener (
    name           varchar(64) not null primary key,
    revision       bigint      not null,
    -- HTTP, TCP or UDP
    protocol       varchar(16) not null,
    bind           varchar(64) not null,
    port           integer     not null,
    proxy_protocol boolean     not null,
    -- whose word is taken for a client's address; null for the peer itself
    real_ip        text,
    access_log     text        not null,
    client         text        not null,
    -- of TCP and UDP: whether routes are chosen by the ClientHello, the group of whom no route takes, the settings
    ssl_preread    boolean     not null,
    upstream       varchar(64) references upstream (name),
    proxy          text
);

create table if not exists route (
    listener         varchar(64) not null references listener (name),
    name             varchar(64) not null,
    position         integer     not null,
    revision         bigint      not null,
    hosts            text        not null,
    path_type        varchar(16) not null,
    path_value       text        not null,
    path_no_regex    boolean     not null,
    methods          text        not null,
    headers          text        not null,
    upstream         varchar(64) references upstream (name),
    address          text,
    respond          text,
    rewrite_prefix   text,
    proxy            text        not null,
    max_body_size    varchar(64) not null,
    request_headers  text        not null,
    response_headers text        not null,
    error_pages      text        not null,
    access_log       boolean     not null,
    primary key (listener, name)
);

create table if not exists stream_route (
    listener varchar(64) not null references listener (name),
    name     varchar(64) not null,
    position integer     not null,
    revision bigint      not null,
    hosts    text        not null,
    alpn     text        not null,
    upstream varchar(64) not null references upstream (name),
    primary key (listener, name)
);
