package io.weir.control.store;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;

interface StreamRouteRows extends JpaRepository<StreamRouteRow, RouteRow.Key> {

    List<StreamRouteRow> findAllByOrderByListenerAscPositionAsc();

    List<StreamRouteRow> findByListenerOrderByPosition(String listener);

    @Modifying
    @Query("delete from StreamRouteRow r where r.listener = :listener")
    void deleteByListener(String listener);
}
