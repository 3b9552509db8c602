/** S3 endpoints over a bucket of their own, and a proxy before them that does what networks do. */

import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type { Miniflare } from "miniflare";
import { workerModules } from "../../builder/serve/bundle.ts";
import type { Environment } from "../../builder/store/cloudflare.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import { workerOptions } from "../../builder/store/wrangler.ts";
import { newFolder } from "../folders.ts";
import { type Answer, answerOf, refusal } from "./s3-of-files.ts";
import { startMiniflare } from "./start-miniflare.ts";

export const BUCKET = "soprano";

const ENDPOINT = "/cdn-cgi/local/r2/s3";
const credentials = { accessKeyId: "an-access-key", secretAccessKey: "a-secret-of-the-tests" };

interface Exchange {
  body: Buffer;
  response: ServerResponse;
  /** Makes the request, with its own body or another one, and returns the answer. */
  pass(body?: Buffer): Promise<Answer>;
}

/** When a late request is done. */
export const LATE_MS = 1_000;

/** What can go wrong with one request, by name. */
export const FAULTS = {
  /** It does not arrive. */
  reset: ({ response }) => response.destroy(),
  /** Half of it arrives. */
  "cut off": async ({ body, pass, response }) => {
    await pass(body.subarray(0, body.length >> 1)).catch(() => {});
    response.destroy();
  },
  "500": ({ response }) => refuse(response, 500, "InternalError"),
  "503": ({ response }) => refuse(response, 503, "SlowDown"),
  "429": ({ response }) => refuse(response, 429, "TooManyRequests"),
  /** It is done, but nobody is told. */
  "answer lost": async ({ pass, response }) => {
    await pass();
    response.destroy();
  },
  /** It is done, and half of the answer comes. */
  "answer cut off": async ({ pass, response }) => {
    const { status, headers, body } = await pass();
    response.writeHead(status, { ...headers, "content-length": body.length + 1 });
    response.write(body.subarray(0, body.length >> 1), () => response.destroy());
  },
  /** Half of the answer comes, and nothing says that there was more. */
  "answer shortened": async ({ pass, response }) => {
    const { status, headers, body } = await pass();
    const half = body.subarray(0, body.length >> 1);
    response.writeHead(status, { ...headers, "content-length": half.length }).end(half);
  },
  /** Nothing comes. */
  silence: () => {},
  /** Nothing comes, and it is done long after whoever asked has given up. */
  late: async ({ pass }) => {
    await setTimeout(LATE_MS);
    await pass();
  },
  /** A byte comes now and then. */
  trickle: async ({ pass, response }) => {
    const { status, headers, body } = await pass();
    response.writeHead(status, { ...headers, "content-length": body.length + 1_000_000 });
    const timer = setInterval(() => response.write(" "), 50);
    response.on("close", () => clearInterval(timer));
  },
} satisfies Record<string, (exchange: Exchange) => unknown>;

export type Fault = keyof typeof FAULTS;

export interface S3Request {
  /** From 0. */
  number: number;
  method: string;
  /** Key, or query of a listing. */
  path: string;
}

export interface S3 {
  miniflare: Miniflare;
  /** Says that the proxy is the endpoint. */
  environment: Environment;
  requests: S3Request[];
  /** Whether and how a request goes wrong: for the test to set, as the next one. */
  fault: (request: S3Request) => Fault | undefined;
  /** Returns when nothing is under way. */
  idle(): Promise<void>;
  /** Called when a request has come, which waits for it; when it was done; and when it was answered. */
  watch: (request: S3Request, moment: "come" | "done" | "answered") => void | Promise<void>;
  close(): Promise<void>;
}

/**
 * Miniflare's endpoint.
 *
 * @param worker the entry of a Worker to serve over the bucket; without it there is an empty one
 * @param host the proxy's address
 */
export async function startS3(worker?: string, host = "127.0.0.1"): Promise<S3> {
  const miniflare = startMiniflare({
    ...(await optionsOf(worker)),
    // It answers requests for other hosts than this machine only if it has routes for them.
    routes: [`${host}/*`],
    r2Buckets: { BUCKET: { id: BUCKET, s3Credentials: credentials } },
  });
  const origin = await miniflare.ready;
  const answer = (request: IncomingMessage, body: Buffer) => passOn(origin, request, body);
  // The same object, whose faults the proxy looks at.
  return Object.assign(await startProxy(answer, host, () => miniflare.dispose()), { miniflare });
}

/**
 * The same over Miniflare's files, in a twentieth of the processor's time: for tests of what uses a bucket. Those of the
 * bucket itself and of its refusals have Miniflare's endpoint. test/store/store.property.test.ts compares both.
 *
 * @param worker as above; Miniflare starts when it is first asked for
 */
export async function startFilesS3(worker?: string, host = "127.0.0.1"): Promise<S3> {
  const folder = newFolder();
  const { objects, close } = await openLocalState(folder);
  const options = { ...(await optionsOf(worker, folder)), r2Buckets: { BUCKET } };
  let miniflare: Miniflare | undefined;
  const proxy = await startProxy(
    (request, body) => answerOf(objects, request, body),
    host,
    async () => {
      await miniflare?.dispose();
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  );
  // An accessor, since Miniflare starts with the first use.
  return Object.defineProperty(proxy, "miniflare", { get: () => (miniflare ??= startMiniflare(options)) }) as S3;
}

async function optionsOf(worker: string | undefined, folder?: string) {
  // No limits: tests are one address.
  const { resourcePersistencePath, ratelimits: _, ...options } = await workerOptions(folder ?? "nowhere");
  return {
    ...options,
    ...(folder !== undefined && { resourcePersistencePath }),
    host: "127.0.0.1",
    port: 0,
    // Requests that end early are what the tests are about.
    handleStructuredLogs: () => {},
    ...(worker
      ? await workerModules(worker)
      : { modules: true as const, script: "export default { fetch: () => new Response() }" }),
  };
}

/** @param end what is closed after the proxy */
async function startProxy(
  answerTo: (request: IncomingMessage, body: Buffer) => Promise<Answer>,
  host: string,
  end: () => Promise<void>,
): Promise<Omit<S3, "miniflare">> {
  let underWay = 0;
  const s3: Omit<S3, "miniflare"> = {
    environment: {},
    requests: [],
    fault: () => undefined,
    watch: () => {},
    async idle() {
      while (underWay > 0) await setTimeout(5);
    },
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      await end();
    },
  };
  const proxy = createServer(async (request, response) => {
    const { method = "", url = "" } = request;
    const seen = { number: s3.requests.length, method, path: url.slice(`${ENDPOINT}/${BUCKET}`.length) };
    s3.requests.push(seen);
    response.on("finish", () => s3.watch(seen, "answered"));
    underWay++;
    try {
      await s3.watch(seen, "come");
      const whole = await buffer(request);
      const pass = async (body = whole) => {
        const answer = await answerTo(request, body);
        s3.watch(seen, "done");
        return answer;
      };
      const fault = s3.fault(seen);
      if (fault) return await FAULTS[fault]({ body: whole, response, pass });
      const answer = await pass();
      response.writeHead(answer.status, answer.headers).end(answer.body);
    } catch {
      // Whoever asked has gone.
      response.destroy();
    } finally {
      underWay--;
    }
  });
  proxy.listen(0, host);
  await once(proxy, "listening");
  s3.environment = {
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_S3: `http://${host}:${(proxy.address() as AddressInfo).port}${ENDPOINT}`,
  };
  return s3;
}

/** Headers are signed, the host's name included: they go on as they came. */
async function passOn(origin: URL, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  const outgoing = forward({ host: origin.hostname, port: origin.port, method, path: url, headers });
  const arrived = once(outgoing, "response");
  const length = Number(headers["content-length"] ?? 0);
  if (body.length < length) outgoing.write(body, () => outgoing.destroy());
  else outgoing.end(body);
  const [response] = (await arrived) as [IncomingMessage];
  return { status: response.statusCode!, headers: response.headers, body: await buffer(response) };
}

function refuse(response: ServerResponse, status: number, code: string): void {
  const { headers, body } = refusal(status, code);
  response.writeHead(status, headers).end(body);
}
