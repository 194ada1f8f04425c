// An independent client, driven by the document alone, goes the way of a tenant: a person, the words, a notification,
// what came of it, lists, a wish to hear no more, a cancel, a dead letter and its replay.
import {OpenAPIClientAxios} from 'openapi-client-axios';
import {until} from './stage.mjs';

export async function tour(stage, told, key, check) {
  const api = new OpenAPIClientAxios({
    definition: structuredClone(told), withServer: {url: stage.url},
    axiosConfigDefaults: {headers: {Authorization: `Bearer ${key}`}, validateStatus: () => true},
  });
  const client = await api.init();
  const expect = async (step, wanted, asked, also = () => true) => {
    const got = await asked;
    check(`tour: ${step}`, got.status === wanted && also(got.data) ? [] : [`${got.status} ${JSON.stringify(got.data)}`]);
    return got.data;
  };
  const order = operation => ({user_id: 'ana', type: 'order.shipped', client_operation_id: operation, variables: {order: '77'}});

  await expect('put_user', 200, client.put_user('ana', {email: 'ana@example.com', locale: 'pt-BR'}));
  await expect('put_template', 200, client.put_template(
    {type: 'order.shipped', channel: 'email'}, {parts: {subject: 'Order {{order}}', text: 'On its way.'}}),
  words => words.required[0] === 'order');
  const {id} = await expect('post_notification', 202, client.post_notification(null, order('o-1')));
  await expect('the same again', 202, client.post_notification(null, order('o-1')), again => again.id === id);
  await until('completed', async () => (await client.get_notification(id)).data, seen => seen.status === 'completed');
  await expect('get_notification', 200, client.get_notification(id), seen => seen.deliveries[0].trail.length === 1);
  await expect('post_batch', 200, client.post_batch(null, {notifications: [order('o-2'), order('o-3')]}),
    made => made.results.every(one => one.status === 202));
  const page = await expect('list_notifications', 200, client.list_notifications({user_id: 'ana', limit: 2}),
    seen => seen.data.length === 2 && seen.prev === null);
  await expect('the next page', 200, client.list_notifications({user_id: 'ana', limit: 2, cursor: page.next}),
    seen => seen.data[0].id === id && seen.next === null);
  await expect('get_usage', 200, client.get_usage(), seen => seen.today.notifications === 3);

  await expect('put_user_preferences', 200, client.put_user_preferences('ana', {channels: {email: false}}));
  await expect('the next one is suppressed', 202, client.post_notification(null, order('o-4')),
    made => made.status === 'suppressed');
  await client.put_user_preferences('ana', {});
  const later = await expect('one for tomorrow', 202, client.post_notification(
    null, {...order('o-5'), send_at: new Date(Date.now() + 86_400_000).toISOString()}));
  await expect('cancel_notification', 200, client.cancel_notification(later.id),
    seen => seen.deliveries[0].result === 'stopped');

  await client.put_user('bo', {email: 'bounce@example.com'});
  const dead = await expect('one that bounces', 202, client.post_notification(null, {...order('o-6'), user_id: 'bo'}));
  const letters = await until('a dead letter', async () => (await client.list_dead_letters()).data, seen => seen.data.length > 0);
  check('tour: list_dead_letters, in valid UTF-8 (S08)', letters.data[0].detail.includes('usu\ufffdrio') ? []
    : [letters.data[0].detail]);
  await client.put_user('bo', {email: 'bo@example.com'});
  await expect('replay_delivery', 200, client.replay_delivery({id: dead.id, channel: 'email'}), made => made.replayed);
  await until('completed', async () => (await client.get_notification(dead.id)).data, seen => seen.status === 'completed');
  await expect('replay_dead_letters', 200, client.replay_dead_letters(null, {all: true}), made => made.replayed === 0);
}
