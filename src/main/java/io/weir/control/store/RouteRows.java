package io.weir.control.store;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;

interface RouteRows extends JpaRepository<RouteRow, RouteRow.Key> {

    List<RouteRow> findAllByOrderByListenerAscPositionAsc();

    List<RouteRow> findByListenerOrderByPosition(String listener);

    @Modifying
    @Query("delete from RouteRow r where r.listener = :listener")
    void deleteByListener(String listener);
}
