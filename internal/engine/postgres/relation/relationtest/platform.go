package relationtest

// Platform creates the eight tables and indexes of the content platform in "Storage Selection for
// Database Workloads", at about 1/2000 of their sizes.
var Platform = []string{
	`CREATE TABLE articles (id bigint, published timestamptz, category int, title text, body text)`,
	`INSERT INTO articles SELECT i, timestamptz '2026-05-01' - i * interval '37 seconds', i % 1000, 'Article ' || i, repeat(md5(i::text), 4)
		FROM generate_series(1, 27500) i`,
	`ALTER TABLE articles ADD CONSTRAINT articles_pkey PRIMARY KEY (id)`,
	`CREATE INDEX articles_cat_pub ON articles (category, published DESC)`,
	`CREATE TABLE analytics_events (ts timestamptz, article bigint, kind int, visitor text)`,
	`INSERT INTO analytics_events SELECT timestamptz '2026-05-01' - i * interval '7 seconds', i, i % 5, repeat(md5(i::text), 4)
		FROM generate_series(1, 136500) i`,
	`CREATE INDEX analytics_events_ts ON analytics_events (ts)`,
	`CREATE TABLE analytics_daily AS SELECT date '2026-05-01' - (i % 365)::int AS day, i AS article, i AS views FROM generate_series(1, 5000) i`,
	`CREATE TABLE subscriptions AS SELECT i AS id, repeat(md5(i::text), 4) AS reader FROM generate_series(1, 125) i`,
	`CREATE TABLE old_articles AS SELECT i AS id, repeat(md5(i::text), 4) AS body FROM generate_series(1, 64000) i`,
}
