/** Entry of the process that the client of a store runs in. */
import { answerLance } from '../lancedb/lance-answers.ts';
import { answerMongo } from '../mongodb/mongo-answers.ts';
import type { Answering, ClientAnswer, ClientPlace, ClientRequest } from './messages.ts';

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
