-- How requests of one client are kept at one server: empty for not at all, or cookie, route or learn, with its parameters.

alter table upstream add column sticky_type varchar(16) default '' not null;
alter table upstream add column sticky text default '{}' not null;
