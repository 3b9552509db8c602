import { AwsV4Signer } from "aws4fetch";
import fc from "fast-check";
import { expect, it } from "vitest";
import { s3Signer } from "../../../builder/store/r2/s3-signature.ts";

it("signs Amazon's own example of a listing", () => {
  // https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, "Get Bucket (List Objects)".
  const credentials = {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  };
  const url = new URL("https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J");
  const nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const headers = { "x-amz-content-sha256": nothing };
  const signed = s3Signer(credentials, "us-east-1")({ method: "GET", url, headers }, new Date("2013-05-24T00:00:00Z"));
  expect(signed).toEqual({
    ...headers,
    "x-amz-date": "20130524T000000Z",
    authorization:
      "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, " +
      "SignedHeaders=host;x-amz-content-sha256;x-amz-date, " +
      "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  });
});

it("signs any request as another implementation does, one after the other", async () => {
  const text = fc.string({ unit: "grapheme", maxLength: 12 });
  // In headers, characters of ASCII alone are sure to arrive as they are.
  const value = fc.string({ unit: "grapheme-ascii", maxLength: 12 });
  const headers = fc.dictionary(
    fc.constantFrom("content-type", "content-md5", "range", "if-match", "x-amz-meta-name", "X-Amz-Meta-Other"),
    value,
    { noNullPrototype: true },
  );
  const query = fc.dictionary(fc.constantFrom("prefix", "list-type", "uploads", "partNumber", "upload-id"), text, {
    noNullPrototype: true,
  });
  const request = fc.record({
    method: fc.constantFrom("GET", "PUT", "POST"),
    key: fc.array(text, { maxLength: 4 }).map((parts) => parts.join("/")),
    query,
    headers,
    at: fc.date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true }),
  });
  const property = fc.asyncProperty(
    fc.array(request, { minLength: 1, maxLength: 4 }),
    fc.record({ accessKeyId: value, secretAccessKey: text }),
    fc.option(fc.constant("a-token"), { nil: undefined }),
    async (requests, keys, sessionToken) => {
      const credentials = { ...keys, ...(sessionToken !== undefined && { sessionToken }) };
      const sign = s3Signer(credentials);
      for (const { method, key, query, headers, at } of requests) {
        const path = key.split("/").map(encodeURIComponent).join("/");
        const url = new URL(`https://account.r2.example:8443/bucket/${path}?${new URLSearchParams(query)}`);
        const datetime = at.toISOString().replaceAll(/[:-]|\.\d{3}/g, "");
        const other = new AwsV4Signer({
          ...credentials,
          service: "s3",
          region: "auto",
          method,
          url: url.href,
          headers,
          datetime,
        });
        const { authorization } = sign({ method, url, headers }, at);
        expect(authorization).toBe(await other.authHeader());
      }
    },
  );
  await fc.assert(property);
});
