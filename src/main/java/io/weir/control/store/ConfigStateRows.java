package io.weir.control.store;

import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

interface ConfigStateRows extends Repository<ConfigStateRow, Integer> {

    @Query("select s.revision from ConfigStateRow s where s.id = " + ConfigStateRow.ID)
    long revision();

    /** Returns how many rows were moved on: 0 if the store is at another revision than {@code from}. */
    @Modifying
    @Query("update ConfigStateRow s set s.revision = :to where s.id = " + ConfigStateRow.ID + " and s.revision = :from")
    int advance(long from, long to);
}
