/** Finds the pull request of a job in the variables and files of its runner. */
import path from 'node:path';
import * as z from 'zod';
import type { Read } from '../../../../core/read.ts';
import { readText } from '../../../../engine/files/reading.ts';
import type { Environment, Forge, KeptComment, NoForge } from './forge.ts';
import { listOf } from '../../../../core/formats/lists.ts';

/** @param environment of the process */
export async function findForge(environment: Environment): Promise<Forge | NoForge> {
  if (environment['GITHUB_ACTIONS'] === 'true') return githubOf(environment);
  if (environment['GITLAB_CI'] === 'true') return gitlabOf(environment);
  return { reason: 'this is not a job of GitHub Actions or GitLab CI.' };
}

const eventSchema = z.object({
  pull_request: z.object({ number: z.number().int(), head: z.object({ sha: z.string() }) }),
});

async function githubOf(environment: Environment): Promise<Forge | NoForge> {
  const { GITHUB_TOKEN: token, GITHUB_REPOSITORY: repository, GITHUB_EVENT_PATH: event } = environment;
  const { GITHUB_API_URL: api, GITHUB_SERVER_URL: server, GITHUB_WORKSPACE: root } = environment;
  if (!repository || !api) return { reason: 'the runner does not say which repository this is.' };
  const about = event ? await readEvent(event) : undefined;
  if (!about) return { reason: 'the job was not started by a pull request.' };
  if (!token)
    return { reason: 'there is no token. Give the step GITHUB_TOKEN: ${{ github.token }} in its env.' };
  const { number, head } = about;
  const repositoryUrl = `${api}/repos/${repository}`;
  return {
    name: 'GitHub',
    permission:
      'Give the job "permissions: pull-requests: write". For pull requests from forks its token can only read.',
    token,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    },
    commentsUrl: `${repositoryUrl}/issues/${number}/comments`,
    commentUrl: (id) => `${repositoryUrl}/issues/comments/${id}`,
    updateMethod: 'PATCH',
    readPage: readGitHubPage,
    linkTo: linker(root, server && `${server}/${repository}/blob/${head.sha}`),
  };
}

async function readEvent(file: string): Promise<Read<typeof eventSchema>['pull_request'] | undefined> {
  try {
    return eventSchema.parse(JSON.parse(await readText(file))).pull_request;
  } catch {
    // Pushes, schedules and manual runs have events of other formats.
    return undefined;
  }
}

const githubPageSchema = listOf(
  z.object({
    id: z.number().int(),
    body: z.string().nullish(),
    author_association: z.string().nullish(),
    user: z.object({ type: z.string() }).nullish(),
  }),
);

const INSIDERS: readonly unknown[] = ['OWNER', 'MEMBER', 'COLLABORATOR'];

function readGitHubPage(json: unknown): KeptComment[] {
  return githubPageSchema.parse(json).map(({ id, body, author_association, user }) => ({
    id,
    body: body ?? '',
    trusted: user?.type === 'Bot' || INSIDERS.includes(author_association),
  }));
}

function gitlabOf(environment: Environment): Forge | NoForge {
  const { GITLAB_TOKEN: token, CI_API_V4_URL: api, CI_PROJECT_ID: project } = environment;
  const { CI_MERGE_REQUEST_IID: number, CI_PROJECT_URL: url, CI_COMMIT_SHA: commit } = environment;
  if (!number) return { reason: 'the job was not started by a merge request.' };
  if (!project || !api) return { reason: 'the runner does not say which project this is.' };
  if (!token)
    return { reason: 'there is no token. Add a variable GITLAB_TOKEN with an access token of the project.' };
  const notes = `${api}/projects/${encodeURIComponent(project)}/merge_requests/${encodeURIComponent(number)}/notes`;
  return {
    name: 'GitLab',
    permission: 'Give GITLAB_TOKEN the scope "api" and the role Reporter or above.',
    token,
    headers: { accept: 'application/json', 'private-token': token },
    userUrl: `${api}/user`,
    commentsUrl: notes,
    commentUrl: (id) => `${notes}/${id}`,
    updateMethod: 'PUT',
    readPage: readGitLabPage,
    linkTo: linker(environment['CI_PROJECT_DIR'], url && commit && `${url}/-/blob/${commit}`),
  };
}

const gitlabUserSchema = z.object({ id: z.number().int() });
const gitlabPageSchema = listOf(
  z.object({ id: z.number().int(), body: z.string().nullish(), author: gitlabUserSchema }),
);

function readGitLabPage(json: unknown, user: unknown): KeptComment[] {
  const userId = gitlabUserSchema.parse(user).id;
  return gitlabPageSchema
    .parse(json)
    .map(({ id, body, author }) => ({ id, body: body ?? '', trusted: author.id === userId }));
}

/** @param blobs the URL under which files of the commit are shown */
function linker(root: string | undefined, blobs: string | undefined): Forge['linkTo'] {
  return (file, line) => {
    if (!root || !blobs) return undefined;
    const place = path.relative(root, path.resolve(file)).split(path.sep);
    if (place[0] === '..' || path.isAbsolute(place.join(path.sep))) return undefined;
    return `${blobs}/${place.map((part) => encodeURIComponent(part)).join('/')}#L${line}`;
  };
}
