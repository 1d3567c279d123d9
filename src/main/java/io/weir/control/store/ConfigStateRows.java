package io.weir.control.store;

import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

interface ConfigStateRows extends Repository<ConfigStateRow, Integer> {

    @Query("select new io.weir.control.store.Version(s.revision, s.changeId) from ConfigStateRow s where s.id = "
            + ConfigStateRow.ID)
    Version version();

    /** Returns how many rows were moved on: 0 if the store is at another version than the first. */
    @Modifying
    @Query("update ConfigStateRow s set s.revision = :to, s.changeId = :toChange" + " where s.id = " + ConfigStateRow.ID
            + " and s.revision = :from and s.changeId = :fromChange")
    int advance(long from, String fromChange, long to, String toChange);
}
