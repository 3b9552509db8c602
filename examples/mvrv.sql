-- MVRV (market value to realised value) by day, read from the Parquet objects with DuckDB 1.2 or newer.
--
-- With an R2 token that may read the bucket:
--     CREATE SECRET (TYPE r2, KEY_ID '...', SECRET '...', ACCOUNT_ID '...');
--     SET VARIABLE bucket = 'r2://soprano';
--     SET VARIABLE symbol = 'TINY';
--     .read mvrv.sql

-- The bucket may also hold objects of earlier builds: the active manifest names the current ones.
SET VARIABLE metrics = (
  SELECT resolutions.day.periods[1].metrics
  FROM read_json(getvariable('bucket') || '/current/' || getvariable('symbol') || '.json')
);

SET VARIABLE day = getvariable('bucket') || '/series/' || getvariable('symbol') || '/day/';
SET VARIABLE market_cap = getvariable('day') || 'market_cap/all.' || getvariable('metrics').market_cap.hash[:32] || '.parquet';
SET VARIABLE realised_cap = getvariable('day') || 'realised_cap/all.' || getvariable('metrics').realised_cap.hash[:32] || '.parquet';

-- Sums hold no zeros: a day without a row is 0 (docs/formats.md#series-objects).
SELECT t::DATE AS day, market.v AS market_cap, realised.v AS realised_cap, market.v / realised.v AS mvrv
FROM read_parquet(getvariable('market_cap')) AS market
JOIN read_parquet(getvariable('realised_cap')) AS realised USING (cohort, t)
WHERE cohort = 'total'
ORDER BY t;
