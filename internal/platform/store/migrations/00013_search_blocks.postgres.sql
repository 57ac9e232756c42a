-- On PostgreSQL alone: an index that is asked block by block, the newest first. A GIN index gives its matches in no order,
-- so for the newest 500 it had to collect all of them. Each item now also is in a block of 2,048 numbers, in one of 8,192,
-- and so on, four times as wide at each of eight levels; popular ones also are in one of their own.
CREATE FUNCTION item_search_blocks(seq BIGINT, popular BOOLEAN) RETURNS BIGINT[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT ARRAY[(seq >> 11) * 8, (seq >> 13) * 8 + 1, (seq >> 15) * 8 + 2, (seq >> 17) * 8 + 3,
  (seq >> 19) * 8 + 4, (seq >> 21) * 8 + 5, (seq >> 23) * 8 + 6, (seq >> 25) * 8 + 7]
  || CASE WHEN popular THEN ARRAY[-1]::BIGINT[] ELSE '{}' END $$;

SET LOCAL maintenance_work_mem = '256MB';
-- In this order searches go on meanwhile; writes to the market wait.
CREATE INDEX item_search_blocked ON item_search USING gin (doc, item_search_blocks(seq, popular)) WITH (fastupdate = off);
-- The planner's idea of how many words a block has.
ANALYZE item_search;
DROP INDEX item_search_doc;
ALTER INDEX item_search_blocked RENAME TO item_search_doc;

-- Beside the function of three arguments, which nodes of the version before still ask.
--
-- Numbers of the newest items that a question finds, none below oldest. It begins with the block of the newest item; each
-- block that was not enough is followed by the one before it, four times as wide wherever a wider one ends there, so that
-- what is read follows what is answered, not what is stored.
--
-- The settings keep the planner from walking the table instead of asking the index: it takes testing a vector to be cheap,
-- but each one must be fetched from its own storage first.
CREATE FUNCTION item_search_newest(question TSQUERY, oldest BIGINT, most BIGINT, newest BIGINT) RETURNS SETOF BIGINT
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off
SET work_mem = '16MB' SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  top BIGINT := newest + 1; -- items from here on were looked at
  level INT := 0;
  wide INT := 11; -- bits of a number within a block of this level
  wanted BIGINT := most;
  found BIGINT;
BEGIN
  WHILE top > oldest AND top > 0 AND wanted > 0 LOOP
    RETURN QUERY SELECT s.seq FROM item_search s
      WHERE s.doc @@ question AND item_search_blocks(s.seq, s.popular) @> ARRAY[((top - 1) >> wide) * 8 + level] AND s.seq + 0 >= oldest
      ORDER BY s.seq DESC LIMIT wanted;
    GET DIAGNOSTICS found = ROW_COUNT;
    wanted := wanted - found;
    top := ((top - 1) >> wide) << wide;
    IF level < 7 AND top & ((4::BIGINT << wide) - 1) = 0 THEN
      level := level + 1;
      wide := wide + 2;
    END IF;
  END LOOP;
END $$;

-- Numbers of the popular items that a question finds.
CREATE FUNCTION item_search_popular(question TSQUERY) RETURNS SETOF BIGINT
LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off
SET work_mem = '16MB' SET plan_cache_mode = force_generic_plan
AS $$ BEGIN
  RETURN QUERY SELECT s.seq FROM item_search s
    WHERE s.doc @@ question AND item_search_blocks(s.seq, s.popular) @> ARRAY[-1]::BIGINT[] ORDER BY s.seq DESC;
END $$;
