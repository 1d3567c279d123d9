package io.weir.control.store;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;

interface ServerRows extends JpaRepository<ServerRow, ServerRow.Key> {

    List<ServerRow> findAllByOrderByUpstreamAscPositionAsc();

    List<ServerRow> findByUpstreamOrderByPosition(String upstream);

    @Modifying
    @Query("delete from ServerRow s where s.upstream = :upstream")
    void deleteByUpstream(String upstream);
}
