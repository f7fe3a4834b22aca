package demo

import (
	"fmt"
	"strings"
	"time"
)

// The folders that are committed; one lies inside another.
const (
	sales  = "sales"
	orders = "sales/2026"
	churn  = "models/churn"
	events = "web/events"
)

// A deed is what a person or a program did at one time.
type deed struct {
	when string // "2026-03-06 17:10", UTC
	do   func(*maker) error
}

func commits(when, folder, author, message string) deed {
	return deed{when, func(m *maker) error { return m.commit(folder, author, message) }}
}

// deeds are the history in order, but for what happens each day.
func deeds() []deed {
	return []deed{
		{"2026-03-02 07:30", (*maker).moveIn},
		commits("2026-03-06 17:10", orders, "ana", "First week of orders from the new ERP"),
		commits("2026-03-09 09:20", sales, "ana", "Sales data moves in: products, regions, targets, 2025 by quarter"),
		commits("2026-03-10 05:40", churn, "chidi", "First model on the new feature table"),
		commits("2026-03-16 06:00", events, "ci-bot", "Events to 15 March"),
		commits("2026-03-31 18:20", orders, "ana", "March close"),
		{"2026-04-01 08:50", func(m *maker) error { return m.put("sales/targets.json", targetsJSON(2)) }},
		commits("2026-04-01 09:05", sales, "dora", "Targets for Q2"),
		commits("2026-04-02 06:00", events, "ci-bot", "Events to 1 April, March rolled up by country"),
		commits("2026-04-07 05:45", churn, "ci-bot", "Weekly training, week 15"),
		{"2026-04-09 15:40", restate("eu", "2026-04-02", "2026-04-08")},
		commits("2026-04-10 10:15", orders, "ben", "EU orders of 2 to 8 April again: the export had dropped refunds"),
		commits("2026-04-16 06:00", events, "ci-bot", "Events to 15 April"),
		commits("2026-04-30 18:05", orders, "ana", "April close"),
		commits("2026-05-02 06:00", events, "ci-bot", "Events to 1 May, April rolled up"),
		{"2026-05-04 08:30", func(m *maker) error { return m.put("sales/regions.csv", regionsCSV(true)) }},
		commits("2026-05-04 08:42", sales, "ben", "Region codes follow ISO 3166, alpha-3\n\nThe BI import maps both until the end of June."),
		commits("2026-05-05 05:45", churn, "chidi", "Weekly training, week 19; recall at 10 % is what we steer by now"),
		{"2026-05-06 13:10", (*maker).restateRollup},
		commits("2026-05-06 13:25", events, "dora", "March rollup without the bots that marketing found"),
		{"2026-05-20 11:00", (*maker).setRule},
		commits("2026-05-22 06:00", events, "ci-bot", "Events to 21 May"),
		commits("2026-05-29 17:50", orders, "ana", "May close"),
		commits("2026-06-02 05:45", churn, "ci-bot", "Weekly training, week 23"),
		commits("2026-06-05 06:00", events, "ci-bot", "Events to 4 June, May rolled up"),
		{"2026-06-06 02:00", (*maker).ruleRuns},
		{"2026-06-11 16:00", restate("apac", "2026-05-25", "2026-05-29")},
		commits("2026-06-12 09:30", orders, "chidi", "APAC: last week of May again after the stock count in 大阪"),
		commits("2026-06-19 06:00", events, "ci-bot", "Events to 18 June"),
		{"2026-06-22 14:00", func(m *maker) error { return m.put(churn+"/config.yaml", fmt.Sprintf(trainingConfig, "0.3")) }},
		commits("2026-06-23 05:45", churn, "chidi", "Stronger penalty: weights had drifted since May"),
		commits("2026-06-30 18:40", orders, "ana", "Half-year close"),
		{"2026-07-01 08:45", func(m *maker) error { return m.put("sales/targets.json", targetsJSON(3)) }},
		commits("2026-07-01 09:00", sales, "dora", "Targets for Q3"),
		commits("2026-07-03 06:00", events, "ci-bot", "Events to 2 July, June rolled up"),
		commits("2026-07-14 05:45", churn, "ci-bot", "Weekly training, week 29"),
		commits("2026-07-24 06:00", events, "ci-bot", "Events to 23 July"),
		commits("2026-07-31 17:30", orders, "ana", "July close"),
		{"2026-08-03 10:00", func(m *maker) error { return m.put("sales/products.csv", productsCSV(true)) }},
		commits("2026-08-03 10:12", sales, "ana", "Products: the spring line ends, the autumn line begins"),
		commits("2026-08-04 05:45", churn, "ci-bot", "Weekly training, week 32"),
		{"2026-08-13 12:20", restate("us", "2026-08-11", "2026-08-12")},
		commits("2026-08-14 09:10", orders, "ben", "US: orders that the outage of 11 August doubled are out"),
		commits("2026-08-21 06:00", events, "ci-bot", "Events to 20 August"),
		commits("2026-08-31 18:15", orders, "ana", "August close"),
		commits("2026-09-01 08:00", sales, "ana", "Price list of September"),
		{"2026-09-02 03:05", (*maker).remake},
		commits("2026-09-08 05:45", churn, "chidi", "Weekly training, week 37; newsletter flag repaired"),
		{"2026-09-15 16:20", (*maker).race},
		commits("2026-09-18 06:00", events, "ci-bot", "Events to 17 September"),
		commits("2026-09-30 18:30", orders, "ana", "Q3 close"),
		{"2026-10-01 08:55", func(m *maker) error { return m.put("sales/targets.json", targetsJSON(4)) }},
		{"2026-10-01 09:10", func(m *maker) error {
			return m.oldTool(sales, "nightly-export", "Targets for Q4")
		}},
		commits("2026-10-06 05:45", churn, "ci-bot", "Weekly training, week 41"),
		commits("2026-10-16 17:00", orders, "chidi", "Orders to mid-October for the forecast"),
		commits("2026-10-20 06:00", events, "ci-bot", "Events to 19 October"),
		{"2026-10-29 11:30", restate("eu", "2026-10-12", "2026-10-16")},
		commits("2026-10-30 12:34", orders, "ana", "October restatement"),
		commits("2026-11-02 09:00", sales, "dora", "October for the board"),
		commits("2026-11-10 05:45", churn, "chidi", "Weekly training, week 46: the Black Friday model"),
		commits("2026-11-13 17:20", orders, "ben", "Orders to 13 November"),
		{"2026-11-20 17:45", (*maker).crash},
	}
}

// day is one day: the files that programs write, then what people did. A deed
// of the morning comes before what is written later that day.
func (m *maker) day(day time.Time) error {
	date := day.Format("2006-01-02")
	var todo []deed
	for _, d := range deeds() {
		if strings.HasPrefix(d.when, date) {
			todo = append(todo, d)
		}
	}
	todo = append(todo, m.routine(day)...)
	for len(todo) > 0 {
		// The earliest first; among equals the one that was named first.
		first := 0
		for i, d := range todo {
			if d.when < todo[first].when {
				first = i
			}
		}
		d := todo[first]
		todo = append(todo[:first:first], todo[first+1:]...)
		if err := m.at(day, d.when[len(date)+1:]); err != nil {
			return err
		}
		if err := d.do(m); err != nil {
			return fmt.Errorf("%s: %w", d.when, err)
		}
	}
	return nil
}

// routine is what programs write, day by day.
func (m *maker) routine(day time.Time) []deed {
	date := day.Format("2006-01-02")
	var out []deed
	for hour := 4; hour <= 20; hour += 4 {
		out = append(out, deed{fmt.Sprintf("%s %02d:01", date, hour), func(m *maker) error {
			from := day.Add(time.Duration(hour-4) * time.Hour)
			return m.put(fmt.Sprintf("%s/raw/%s/%02d.jsonl", events, date, hour-4), eventsJSONL(m.data, from))
		}})
	}
	if wd := day.Weekday(); wd != time.Saturday && wd != time.Sunday {
		for i, region := range regions {
			out = append(out, deed{fmt.Sprintf("%s 16:%02d", date, 30+i), func(m *maker) error {
				return m.put(ordersKey(region, day), ordersCSV(m.data, region, day))
			}})
		}
	}
	if day.Weekday() == time.Tuesday {
		out = append(out, deed{date + " 05:10", func(m *maker) error { return m.train(day) }})
	}
	if day.Day() == 1 && day.After(firstDay) {
		out = append(out, deed{date + " 23:30", func(m *maker) error { return m.rollUp(day.AddDate(0, -1, 0), true) }})
	}
	if day.Weekday() == time.Sunday {
		out = append(out, deed{date + " 22:00", func(m *maker) error { return m.report(day) }})
	}
	return out
}

func ordersKey(region string, day time.Time) string {
	return fmt.Sprintf("%s/%s/%s/orders-%s.csv", orders, region, day.Format("01"), day.Format("2006-01-02"))
}

// moveIn puts what is there from the first day.
func (m *maker) moveIn() error {
	files := []struct{ key, body string }{
		{"README.md", "# team-data\n\nsales/ finance's numbers, models/ what data science serves, web/ clicks.\nexports/ and scratch/ are nobody's: don't build on them.\n"},
		{"sales/README.md", "# Sales\n\nOrders come from the ERP at 16:30 UTC on working days. Closed months change only\nby a restatement, which says why.\n"},
		{"sales/products.csv", productsCSV(false)},
		{"sales/regions.csv", regionsCSV(false)},
		{"sales/targets.json", targetsJSON(1)},
		{churn + "/config.yaml", fmt.Sprintf(trainingConfig, "1.0")},
		{churn + "/features.txt", strings.Join(features, "\n") + "\n"},
		{"scratch/ana/notes (copy).txt", "ask ben about refunds in the EU export\n"},
		{"scratch/chidi/lift.csv", "decile,lift\n1,4.1\n2,2.6\n3,1.7\n"},
		{"exports/Übersicht & Plan 2026.csv", "quarter,plan\nQ1,685000\nQ2,732000\n"},
		{"exports/東京/注文 2026-02.csv", "日付,数量\n2026-02-27,14\n2026-02-28,9\n"},
	}
	for _, f := range files {
		if err := m.put(f.key, f.body); err != nil {
			return err
		}
	}
	for q := 1; q <= 4; q++ {
		if err := m.put(fmt.Sprintf("sales/2025/q%d.csv", q), quarterCSV(m.data, 2025, q)); err != nil {
			return err
		}
	}
	return nil
}

// train writes one weekly training: the model that is served, and its record.
func (m *maker) train(day time.Time) error {
	_, week := day.ISOWeek()
	t := trainModel(m.data, week-9, day.Add(5*time.Hour+4*time.Minute))
	for _, f := range []struct{ name, body string }{
		{"metrics.json", t.metricsJSON()},
		{"weights.csv", t.weightsCSV(m.data)},
		{"thresholds.csv", t.thresholdsCSV(m.data)},
		{fmt.Sprintf("runs/2026-w%02d/metrics.json", week), t.metricsJSON()},
	} {
		if err := m.put(churn+"/"+f.name, f.body); err != nil {
			return err
		}
	}
	return nil
}

// rollUp writes a month of visits, one file for each country.
func (m *maker) rollUp(month time.Time, bots bool) error {
	for _, region := range regions {
		for _, country := range countries[region] {
			key := fmt.Sprintf("%s/rollup/%s/%s.csv", events, month.Format("2006-01"), country)
			if err := m.put(key, rollupCSV(m.data, month, bots)); err != nil {
				return err
			}
		}
	}
	return nil
}

// report overwrites a file that nobody commits, and every other week removes it.
func (m *maker) report(day time.Time) error {
	const key = "exports/weekly report.html"
	_, week := day.ISOWeek()
	if err := m.put(key, fmt.Sprintf("<h1>Week %d</h1>\n<p>%d orders</p>\n", week, 300+m.data.IntN(80))); err != nil {
		return err
	}
	if week%2 == 0 {
		return m.remove(key)
	}
	return nil
}

// restate writes a region's orders of some days again.
func restate(region, from, to string) func(*maker) error {
	return func(m *maker) error {
		day, err := time.Parse("2006-01-02", from)
		if err != nil {
			return err
		}
		for ; day.Format("2006-01-02") <= to; day = day.AddDate(0, 0, 1) {
			if wd := day.Weekday(); wd == time.Saturday || wd == time.Sunday {
				continue
			}
			if err := m.put(ordersKey(region, day), ordersCSV(m.data, region, day)); err != nil {
				return err
			}
		}
		return nil
	}
}
