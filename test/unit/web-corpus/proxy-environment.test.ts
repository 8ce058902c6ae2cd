import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asksProxies, proxyEnvironment } from '../../../src/features/web-corpus/core/proxy-environment.ts';

const PROXY = 'http://proxy.example:3128';
const LOOPBACK = 'localhost,127.0.0.1,::1,[::1]';

test('without a proxy, with an invalid one or for direct access the environment is unchanged', () => {
  for (const env of [
    { PATH: '/bin' },
    { HTTPS_PROXY: 'not a url' },
    { HTTPS_PROXY: 'socks5://proxy.example:1080' },
    { HTTPS_PROXY: PROXY, no_proxy: '*' },
  ]) {
    assert.deepEqual(proxyEnvironment(env), env);
    assert.ok(!asksProxies(proxyEnvironment(env)));
  }
  assert.ok(!asksProxies(proxyEnvironment({}, { proxy: PROXY, noProxy: ['*'] })));
});

test('reads proxies of the environment in any spelling, except for this machine', () => {
  const env = proxyEnvironment({ https_proxy: PROXY, No_Proxy: 'a.example,b.example', KEPT: 'x' });
  assert.ok(asksProxies(env));
  assert.deepEqual(env, {
    KEPT: 'x',
    HTTPS_PROXY: PROXY,
    NO_PROXY: `${LOOPBACK},a.example,b.example`,
    NODE_USE_ENV_PROXY: '1',
  });
});

test('uses a proxy for one scheme for that scheme only', () => {
  const said = { NO_PROXY: LOOPBACK, NODE_USE_ENV_PROXY: '1' };
  assert.deepEqual(proxyEnvironment({ http_proxy: PROXY }), { ...said, HTTP_PROXY: PROXY });
  assert.deepEqual(proxyEnvironment({ https_proxy: PROXY }), { ...said, HTTPS_PROXY: PROXY });
});

test("the editor's proxy goes before that of the environment, its exceptions beside those of it", () => {
  const env = proxyEnvironment(
    { HTTP_PROXY: 'http://other.example', NO_PROXY: 'a.example' },
    { proxy: PROXY, noProxy: ['b.example'] },
  );
  assert.deepEqual([env['HTTP_PROXY'], env['HTTPS_PROXY']], [PROXY, PROXY]);
  assert.equal(env['NO_PROXY'], `${LOOPBACK},b.example,a.example`);
});
