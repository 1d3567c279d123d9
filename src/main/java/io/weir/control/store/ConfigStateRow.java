package io.weir.control.store;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** The one row that carries the revision of the whole. Whoever writes must move it on, so of two writers one loses. */
@Entity
@Table(name = "config_state")
class ConfigStateRow {

    static final int ID = 1;

    @Id
    private int id;

    private long revision;

    protected ConfigStateRow() {}

    long revision() {
        return revision;
    }
}
