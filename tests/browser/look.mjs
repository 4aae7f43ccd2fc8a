// Asks a running TensorBoard for the numbers of a run of `digits`, and looks at its pages in Chromium: `run.sh` calls it.
//     node look.mjs ADDRESS CHROMIUM FOLDER LOGS FAST
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { scalars } from "./events.mjs";

const [address, executablePath, folder, logs, fast] = process.argv.slice(2);
const base = address.replace(/\/$/, "");
const RUN = "digits/train";
const TEST = "digits/test";

async function ask(path) {
  const answer = await fetch(base + path);
  assert.equal(answer.status, 200, `${path}: ${await answer.clone().text()}`);
  return answer.json();
}

const query = (pairs) => Object.entries(pairs).map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");

// Until it does not fail any more: TensorBoard reads the files in the background.
async function until(what, check) {
  for (let tries = 0; ; tries++) {
    try {
      return await check();
    } catch (error) {
      if (tries > 100) throw new Error(`${what}: ${error.message}`);
      await new Promise((done) => setTimeout(done, 200));
    }
  }
}

async function numbers() {
  for (const [run, part] of [[RUN, "train"], [TEST, "test"]]) {
    for (const [tag, written] of Object.entries(scalars(join(logs, part)))) {
      await until(`${run} ${tag}`, async () => {
        const answer = await ask(`/data/plugin/scalars/scalars?${query({ run, tag })}`);
        const points = answer.map(([, step, value]) => [step, Math.fround(value)]);
        assert.ok(points.length > 0 && points.length <= written.length);
        // TensorBoard keeps a sample of long curves, but no other numbers.
        const known = new Map(written);
        for (const [step, value] of points) assert.equal(value, known.get(step), `${tag} at ${step}`);
        if (written.length <= 1000) assert.deepEqual(points, written);
      });
      console.log(`  scalars ${run} ${tag}: ${written.length} numbers are those that were written`);
    }
  }
  const tags = await ask("/data/plugin/histograms/tags");
  const histogram = Object.keys(tags[RUN])[0];
  const [[, step, rows]] = await ask(`/data/plugin/histograms/histograms?${query({ run: RUN, tag: histogram })}`);
  assert.ok(step === 1 && rows.length === 30 && rows.every(([left, right, count]) => left <= right && count >= 0));
  const images = await ask("/data/plugin/images/tags");
  assert.ok(images[RUN].digits && images[TEST].mistakes);
  const list = await ask(`/data/plugin/images/images?${query({ run: RUN, tag: "digits", sample: 0 })}`);
  const png = await fetch(`${base}/data/plugin/images/individualImage?${list[0].query}`);
  assert.equal(Buffer.from(await png.arrayBuffer()).subarray(1, 4).toString(), "PNG");
  const texts = await ask(`/data/plugin/text/text?${query({ run: RUN, tag: "settings" })}`);
  assert.match(texts[0].text, /<table>[\s\S]*model[\s\S]*default/);
  const graph = await fetch(`${base}/data/plugin/graphs/graph?${query({ run: RUN, conceptual: false })}`);
  const text = await graph.text();
  assert.match(text, /name: "[^"]*conv2d/);
  const [curve] = (await ask(`/data/plugin/pr_curves/pr_curves?${query({ run: TEST, tag: "sevens/pr_curves" })}`))[TEST];
  assert.ok(curve.precision.length === curve.thresholds.length && Math.max(...curve.recall) === 1);
  console.log("  histograms, images, text, graph and the curve are answered");
}

// The text of a page, with that inside of custom elements.
const wholeText = (page) =>
  page.evaluate(() => {
    const text = (node) => {
      if (node.nodeType === Node.TEXT_NODE) return node.data;
      if (["STYLE", "SCRIPT", "DOM-MODULE", "TEMPLATE"].includes(node.nodeName)) return "";
      const inner = node.shadowRoot ? [...node.shadowRoot.childNodes] : [];
      return [...inner, ...node.childNodes].map(text).join(" ");
    };
    return text(document.body);
  });

// How many elements there are, those inside of custom elements too, whose size is not nothing.
const count = (page, selector) => page.locator(selector).evaluateAll((all) => all.filter((e) => e.getBoundingClientRect().width > 0).length);

const pages = {
  timeseries: async (page) => {
    assert.ok((await count(page, "scalar-card")) > 0 && (await count(page, "histogram-card")) > 0);
  },
  scalars: async (page) => {
    assert.ok((await count(page, "scalar-card svg path, scalar-card canvas, tf-line-chart-data-loader svg path")) > 0);
    assert.match(await wholeText(page), /epoch_accuracy[\s\S]*epoch_loss/);
  },
  images: async (page) => {
    assert.ok((await count(page, "img")) >= 2);
    assert.match(await wholeText(page), /mistakes/);
  },
  graphs: async (page) => {
    assert.ok((await count(page, "g.node")) > 3);
    assert.match(await wholeText(page), /conv2d/);
  },
  distributions: async (page) => {
    assert.ok((await count(page, "svg path, canvas")) > 0);
  },
  histograms: async (page) => {
    assert.ok((await count(page, "svg path, canvas")) > 0);
    assert.match(await wholeText(page), /kernel/);
  },
  text: async (page) => {
    assert.match(await wholeText(page), /settings[\s\S]*default/);
  },
  pr_curves: async (page) => {
    assert.ok((await count(page, "svg path, canvas")) > 0);
    assert.match(await wholeText(page), /sevens/);
  },
  hparams: async (page) => {
    assert.match(await wholeText(page), /model[\s\S]*epochs[\s\S]*test accuracy/);
  },
};

async function look() {
  const profile = mkdtempSync(join(tmpdir(), "eagerflow-browser-"));
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  args.push("--disable-component-update", "--disable-sync");
  const browser = await chromium.launchPersistentContext(profile, { executablePath, headless: true, args, viewport: { width: 1500, height: 1000 } });
  try {
    const page = await browser.newPage();
    const faults = [];
    page.on("pageerror", (error) => faults.push(error.message));
    for (const [name, check] of Object.entries(pages)) {
      await page.goto(`${base}/#${name}`, { waitUntil: "domcontentloaded" });
      await page.reload({ waitUntil: "domcontentloaded" });
      try {
        await until(name, () => check(page));
        console.log(`  ${name}: looked at`);
      } catch (error) {
        faults.push(error.message);
      }
      // What is drawn moves to its place first.
      await page.waitForTimeout(1500);
      await page.screenshot({ path: join(folder, `${name}.png`) });
    }
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

console.log(`TensorBoard at ${base}, its ${fast === "true" ? "fast" : "Python"} loader:`);
await numbers();
if (fast === "true") await look();
