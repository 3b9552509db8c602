-- MVRV (market value to realised value) by day, read from an export with DuckDB 1.2 or newer.
--
--     npx soprano export TINY --out tiny
--
--     SET VARIABLE folder = 'tiny';
--     .read mvrv.sql

-- Sums hold no zeros: a day without a row is 0 (docs/formats.md#series-objects).
SELECT t::DATE AS day, market.v AS market_cap, realised.v AS realised_cap, market.v / realised.v AS mvrv
FROM read_parquet(getvariable('folder') || '/market_cap/day/*.parquet') AS market
JOIN read_parquet(getvariable('folder') || '/realised_cap/day/*.parquet') AS realised USING (cohort, t)
WHERE cohort = 'total'
ORDER BY t;
