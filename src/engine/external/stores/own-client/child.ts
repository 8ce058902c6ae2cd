/** Entry of the process of a store's client. */
import { watchThisProcess } from '../../../concurrency/watchdog.ts';
import { answerLance } from '../lancedb/lance-answers.ts';
import { answerMongo } from '../mongodb/mongo-answers.ts';
import type { Answering, ClientAnswer, ClientPlace, ClientRequest } from './messages.ts';

/** Native code and its cache need some hundred megabytes. Answers are limited to less. */
const MAX_BYTES = 2 * 2 ** 30;

watchThisProcess(MAX_BYTES);

const answering = ({ store, place }: ClientPlace): unknown =>
  store === 'lancedb' ? answerLance(place) : answerMongo(place);

process.once('message', (first: ClientPlace) => {
  const { answers, faultOf } = answering(first) as Answering<Record<string, unknown>>;
  process.on('message', ({ id, asked, of }: ClientRequest) => {
    // A client may throw before it returns a promise.
    Promise.resolve()
      .then(() => answers[asked]!(of))
      .then(
        (answer) => send({ id, answer }),
        (error: unknown) => send({ id, ...faultOf(error) }),
      );
  });
});
process.once('disconnect', () => process.exit(0));

function send(answer: ClientAnswer): void {
  process.send?.(answer);
}
