package demo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// What the files hold: plain tables and records that make sense when opened.

var regions = []string{"eu", "us", "apac"}

var countries = map[string][]string{
	"eu":   {"AT", "BE", "CH", "DE", "ES", "FR", "IT", "NL", "PL", "SE"},
	"us":   {"US"},
	"apac": {"AU", "JP", "KR", "NZ", "SG"},
}

var currencies = map[string]string{"eu": "EUR", "us": "USD", "apac": "JPY"}

type product struct {
	sku, name, line string
	cents           int
}

var products = []product{
	{"TR-100", "Trail shoe Larch", "shoes", 12900}, {"TR-120", "Trail shoe Larch GTX", "shoes", 15900},
	{"RN-210", "Road shoe Finch", "shoes", 13900}, {"JK-301", "Rain jacket Mistral", "jackets", 18900},
	{"JK-315", "Down jacket Föhn", "jackets", 24900}, {"PK-024", "Pack 24 l", "packs", 9900},
	{"PK-040", "Pack 40 l", "packs", 15900}, {"BT-001", "Bottle 0.75 l", "small", 2400},
	{"SK-002", "Socks, merino", "small", 1900}, {"HT-007", "Cap", "small", 2900},
}

func productsCSV(autumn bool) string {
	var b strings.Builder
	b.WriteString("sku,name,line,price_eur,sold\n")
	for _, p := range products {
		sold := "yes"
		if autumn && p.line == "shoes" && p.sku != "RN-210" {
			sold = "until stock ends"
		}
		fmt.Fprintf(&b, "%s,%s,%s,%d.%02d,%s\n", p.sku, p.name, p.line, p.cents/100, p.cents%100, sold)
	}
	if autumn {
		b.WriteString("TR-130,Trail shoe Larch II,shoes,139.00,yes\nGL-004,\"Gloves, wind\",small,34.00,yes\n")
	}
	return b.String()
}

// ordersCSV is one region's orders of one day.
func ordersCSV(r *rand.Rand, region string, day time.Time) string {
	var b strings.Builder
	b.WriteString("order_id,time,country,sku,quantity,unit_price,currency,status\n")
	at := day.Add(6 * time.Hour)
	for n := range 14 + r.IntN(12) {
		at = at.Add(time.Duration(60+r.IntN(3000)) * time.Second)
		p := products[r.IntN(len(products))]
		of := countries[region]
		status := "shipped"
		switch r.IntN(20) {
		case 0:
			status = "refunded"
		case 1, 2:
			status = "open"
		}
		price := fmt.Sprintf("%d.%02d", p.cents/100, p.cents%100)
		if region == "apac" {
			price = fmt.Sprint(p.cents * 163 / 100)
		}
		fmt.Fprintf(&b, "%s-%s-%04d,%s,%s,%s,%d,%s,%s,%s\n", strings.ToUpper(region), day.Format("060102"), n+1,
			at.Format(time.RFC3339), of[r.IntN(len(of))], p.sku, 1+r.IntN(3), price, currencies[region], status)
	}
	return b.String()
}

var pages = []string{"/", "/shoes", "/shoes/larch", "/jackets", "/jackets/mistral", "/packs", "/cart", "/checkout", "/help/returns", "/stores"}

// eventsJSONL is four hours of the shop's clicks, thinned out.
func eventsJSONL(r *rand.Rand, from time.Time) string {
	var b strings.Builder
	at := from
	all := countries[regions[r.IntN(len(regions))]]
	for range 6 + r.IntN(8) {
		at = at.Add(time.Duration(r.IntN(1_500_000)) * time.Millisecond)
		kind := "view"
		if r.IntN(5) == 0 {
			kind = "click"
		}
		fmt.Fprintf(&b, `{"time":"%s","session":"%08x","event":"%s","page":"%s","country":"%s","ms":%d}`+"\n",
			at.Format("2006-01-02T15:04:05.000Z"), r.Uint32(), kind, pages[r.IntN(len(pages))], all[r.IntN(len(all))], 40+r.IntN(900))
	}
	return b.String()
}

// rollupCSV is a month of visits to one country's shop.
func rollupCSV(r *rand.Rand, month time.Time, bots bool) string {
	var b strings.Builder
	b.WriteString("day,sessions,views,orders\n")
	for day := month; day.Month() == month.Month(); day = day.AddDate(0, 0, 1) {
		sessions := 300 + r.IntN(900)
		if bots {
			sessions += 150 + r.IntN(200)
		}
		fmt.Fprintf(&b, "%s,%d,%d,%d\n", day.Format("2006-01-02"), sessions, sessions*3+r.IntN(500), sessions/30+r.IntN(9))
	}
	return b.String()
}

// A model is one training of the churn model.
type model struct {
	week    int
	trained time.Time
	auc     float64
	recall  float64
	rows    int
}

func trainModel(r *rand.Rand, week int, day time.Time) model {
	return model{week: week, trained: day,
		auc:    math.Min(0.8124+0.0011*float64(week)+0.006*(r.Float64()-0.5), 0.8790),
		recall: 0.4410 + 0.0017*float64(week) + 0.01*(r.Float64()-0.5),
		rows:   48_210 + 1_130*week + r.IntN(400)}
}

func (m model) metricsJSON() string {
	return fmt.Sprintf(`{
  "model": "churn",
  "trained": "%s",
  "rows": %d,
  "positives": %d,
  "holdout": {"auc": %.4f, "recall_at_10_percent": %.4f, "brier": %.4f}
}
`, m.trained.Format(time.RFC3339), m.rows, m.rows*7/100, m.auc, m.recall, 0.0612-0.0001*float64(m.week))
}

var features = []string{"days_since_order", "orders_90d", "returns_90d", "discount_share", "support_tickets", "sessions_30d", "basket_eur", "newsletter", "tenure_months"}

func (m model) weightsCSV(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("feature,weight,standard_error\n")
	fmt.Fprintf(&b, "(intercept),%.5f,%.5f\n", -2.61+0.02*r.Float64(), 0.012)
	for i, f := range features {
		sign := 1 - 2*float64(i%2)
		fmt.Fprintf(&b, "%s,%.5f,%.5f\n", f, sign*(0.12+0.07*float64(i))+0.02*(r.Float64()-0.5), 0.004+0.003*r.Float64())
	}
	return b.String()
}

func (m model) thresholdsCSV(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("threshold,contacted,precision,recall\n")
	for t := 5; t <= 50; t += 5 {
		x := float64(t) / 100
		fmt.Fprintf(&b, "%.2f,%d,%.4f,%.4f\n", x, int(float64(m.rows)*(0.4-0.7*x+0.35*x*x)), 0.11+0.9*x+0.01*r.Float64(), math.Max(0.02, 0.93-1.6*x+0.01*r.Float64()))
	}
	return b.String()
}

const trainingConfig = `target: churned_90d
estimator: logistic_regression
penalty: l2
c: %s
holdout: last_30_days
calibration: isotonic
seed: 17
`

func targetsJSON(quarter int) string {
	return fmt.Sprintf(`{
  "quarter": "2026-Q%d",
  "currency": "EUR",
  "revenue": {"eu": %d, "us": %d, "apac": %d}
}
`, quarter, 410_000+25_000*quarter, 180_000+14_000*quarter, 95_000+9_000*quarter)
}

func regionsCSV(iso3 bool) string {
	if iso3 {
		return "region,countries,currency\neu,AUT BEL CHE DEU ESP FRA ITA NLD POL SWE,EUR\nus,USA,USD\napac,AUS JPN KOR NZL SGP,JPY\n"
	}
	return "region,countries,currency\neu,AT BE CH DE ES FR IT NL PL SE,EUR\nus,US,USD\napac,AU JP KR NZ SG,JPY\n"
}

func quarterCSV(r *rand.Rand, year, quarter int) string {
	var b strings.Builder
	b.WriteString("month,region,orders,revenue_eur\n")
	for month := 3*quarter - 2; month <= 3*quarter; month++ {
		for _, region := range regions {
			orders := 400 + r.IntN(200)
			fmt.Fprintf(&b, "%d-%02d,%s,%d,%d.00\n", year, month, region, orders, orders*(88+r.IntN(20)))
		}
	}
	return b.String()
}
