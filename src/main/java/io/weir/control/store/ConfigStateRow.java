package io.weir.control.store;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** The one row that carries the version of the whole. Whoever writes must move it on, so of two writers one loses. */
@Entity
@Table(name = "config_state")
class ConfigStateRow {

    static final int ID = 1;

    @Id
    private int id;

    private long revision;
    private String changeId;

    @SuppressWarnings("NullAway.Init") // filled by Hibernate
    protected ConfigStateRow() {}
}
