-- How requests of one client are kept at one server: empty for not at all, or cookie, route or learn, with its parameters.
-- H2 commits each statement by itself, so each can find its work done by a start that was cut off.

alter table upstream add column if not exists sticky_type varchar(16) default '' not null;
alter table upstream add column if not exists sticky text default '{}' not null;
