// What a head does and what says so, in sentences.

import { number, percent, percentDown } from "../../kit/numbers.js";

/** Where T steps away is: "1 step back". */
function away(T) {
  const size = Math.abs(T);
  return T === 0 ? "itself" : `${size} step${size === 1 ? "" : "s"} ${T < 0 ? "ahead" : "back"}`;
}

/** The headline. */
export function doing({ name, kind, T, strength, sink_column }) {
  const share = `**${percent(strength)}** of the weight on average`;
  const said = {
    previous: `Head ${name} looks one step back, with ${share}.`,
    next: `Head ${name} looks one step ahead, with ${share}.`,
    offset: `Head ${name} looks ${T === 0 ? "at itself" : away(T ?? 0)}, with ${share}.`,
    duplicate: `Head ${name} looks at the same token earlier, with ${share}.`,
    induction: `Head ${name} looks at what followed the same token before: **${percent(strength)}** on average.`,
    sink: `Head ${name} looks at key ${sink_column} from everywhere, with ${share}.`,
    broad: `Head ${name} looks **everywhere** at once: nearly evenly.`,
    content: `Head ${name} chooses by **token**, not by place.`,
    "not clear": `Head ${name} has **no clear pattern**.`,
  }[kind];
  return { tone: strength > 0 ? "target" : kind === "not clear" ? "bad" : "query", text: said };
}

/** What the label rests on. */
export function evidence({ kind, T, evidence: found, sink_column }) {
  const at = { sink: `on key ${sink_column}`, duplicate: "on an earlier occurrence of it", induction: "on a key that follows an earlier occurrence of it" }[kind];
  if (["previous", "next", "offset"].includes(kind)) return [`**Counted.** ${percent(found.rows_at_T)} of the rows have their largest weight ${T === 0 ? "on themselves" : away(T)}; the mean weight there is ${percent(found.mean_weight ?? found.mass)}.`];
  if (kind === "sink") return [`**Counted.** ${percent(found.sink_share)} of the rows have their largest weight ${at}, and a row gives it ${percentDown(found["mass there"])} or more on average.`];
  if (at) return [`**Counted.** Of the rows whose token occurred before, ${percent(found.rows)} have their largest weight ${at}; such keys get ${percent(found.prefix_matching ?? found.duplicate_token)} on average.`];
  if (kind === "broad" && "entropy_share" in found) return [`**Counted.** The entropy of its rows is ${percent(found.entropy_share)} of the largest possible.`];
  if (kind === "broad") return [`**Counted.** Scores differ by ${number(found.spread)} over keys (one standard deviation); below ½ the weights are nearly even.`];
  if (kind === "content") return [`**Counted.** The key’s token alone explains ${percent(found.content_share)} of how scores differ, and they differ by ${number(found.spread)} (one standard deviation): enough to decide.`];
  return [`**Counted.** At most ${percent(found.rows_at_T)} of the rows agree on a distance and ${percent(found.sink_share)} on a key. A label needs a majority.`];
}

/** What else is known of the head. */
export function facts({ position_share: place, content_share: token, composition, random_composition: chance, extrapolated, name }) {
  const said = [];
  if (place !== null && token !== null) said.push(`By its weights, ${percent(place)} of how scores differ is the key’s position alone, ${percent(token)} its token alone.`);
  const [below, score] = composition.K ?? [];
  if (score !== undefined) said.push(`Of the heads a layer below, its keys read most from ${Number(name.split(".")[0]) - 1}.${below}: composition ${number(score)}, and ${number(chance)} by chance.`);
  if (extrapolated) said.push("Past the first layer, weights alone are an extrapolation: the layer is handed embeddings.");
  return said;
}

/** What a row of the map says: the key with the largest weight. */
export function rowSentence({ map, ids }, t) {
  const weights = map[t];
  const most = weights.indexOf(Math.max(...weights));
  const called = (i) => (ids ? `position ${i} (token ${ids[i]})` : `position ${i}`);
  return `${called(t)[0].toUpperCase()}${called(t).slice(1)} gives **${percent(weights[most])}** to ${most === t ? "itself" : called(most)}.`;
}
