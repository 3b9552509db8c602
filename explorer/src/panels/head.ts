/** What the page is about: the asset, example charts, and the title, description and formula of each metric. */

import { findAsset, signsOf } from "../api/catalog.ts";
import { joinTitles } from "../format/names.ts";
import type { Page, Session } from "../session.ts";
import { formatAddress } from "../state/address.ts";
import { setAsset } from "../state/changes.ts";
import { viewsOf } from "../state/views.ts";
import { byId, fill, h } from "./dom.ts";

export class Head {
  readonly #session: Session;
  readonly #asset = byId<HTMLSelectElement>("asset");

  constructor(session: Session) {
    this.#session = session;
    fill(
      this.#asset,
      ...session.page.catalog.assets.map(({ symbol, name }) =>
        h("option", { value: symbol }, symbol === name ? name : `${symbol} · ${name}`),
      ),
    );
    this.#asset.disabled = false;
    this.#asset.addEventListener("change", () => {
      const { chart, catalog } = session.page;
      session.show(setAsset(chart, this.#asset.value, catalog));
    });
    session.watch(
      ({ chart }) => [chart.asset],
      (page) => this.#renderAsset(page),
    );
    session.watch(
      ({ chart, series }) => [chart.asset, series],
      (page) => this.#renderMetrics(page),
    );
    session.watch(
      ({ series, chart }) => [series, chart.resolution, chart.range, chart.scale],
      (page) => this.#renderViews(page),
    );
  }

  #renderAsset({ chart, catalog }: Page): void {
    const asset = findAsset(catalog, chart.asset);
    const last = asset?.ranges.day?.last;
    this.#asset.value = chart.asset;
    byId("as-of").textContent = last ? `data up to ${last.slice(0, 10)}` : "";
    byId("made-from").textContent = asset?.name ?? "the token";
  }

  #renderMetrics({ chart, series, catalog }: Page): void {
    const metrics = [...new Set(series.map(({ definition }) => definition))];
    const title = joinTitles(metrics.map((metric) => metric.title));
    byId("title").textContent = title;
    document.title = `${chart.asset} ${title} · Soprano`;
    const signs = signsOf(
      metrics.map(({ formula }) => formula),
      catalog,
    );
    fill(
      byId("about"),
      ...metrics.map((metric) =>
        h(
          "p",
          {},
          metrics.length > 1 && h("strong", {}, `${metric.title}. `),
          metric.description,
          " ",
          h("code", { class: "formula" }, metric.formula),
        ),
      ),
      signs.length > 0 &&
        h(
          "dl",
          { class: "signs" },
          ...signs.map(({ sign, meaning }) =>
            h("div", {}, h("dt", {}, h("code", { class: "formula" }, sign)), h("dd", {}, meaning)),
          ),
        ),
    );
  }

  #renderViews({ chart, catalog }: Page): void {
    const current = formatAddress({ ...chart, zoom: null });
    const links = viewsOf(catalog, chart.asset).map((view) => {
      const address = formatAddress(view.chart);
      return h(
        "a",
        {
          href: address,
          "aria-current": address === current ? "true" : undefined,
          onclick: (event: MouseEvent) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            this.#session.show(view.chart);
          },
        },
        view.title,
      );
    });
    fill(byId("views"), ...links);
  }
}
