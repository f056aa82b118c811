"""What each quantity is, in a sentence and as a formula."""

from __future__ import annotations

from regard.kinds.compute.spec import ComputeGiven, Quantity


def formula(name: str, given: ComputeGiven) -> tuple[str, str]:
    """Return a sentence on a quantity, and the formula that it is computed by (or "")."""
    letters, part = Quantity(name).symbol, Quantity(name).part
    head = f"^{{({part})}}" if part else ""
    of_head = f" of head {part}" if part else ""
    if letters in ("Q", "K", "V"):
        return _projection(letters, given)
    if letters in ("G", "Z", "B"):
        return _scores(letters, head, of_head, given)
    if letters in ("A", "S", "E", "LSE", "H"):
        return _weights(letters, head, of_head, given)
    if letters in ("R", "L", "F", "T", "Y", "N"):
        return _block(letters, given)
    return _others(letters, part, given)


_CURVES = {"gelu": "mathrm{GELU}", "silu": "mathrm{SiLU}", "tanh": "tanh"}


def _projection(letter: str, given: ComputeGiven) -> tuple[str, str]:
    noun = {"Q": "query", "K": "key", "V": "value"}[letter]
    plural = {"Q": "queries", "K": "keys", "V": "values"}[letter]
    source = "N" if given.norm is not None and given.norm.place == "pre" else "X"
    source = r"\tilde X" if source == "X" and given.adds else source
    if letter != "Q" and given.context is not None:
        source = "X_c"
    cached = letter != "Q" and given.cached_K is not None
    after = " They come after the cached ones." if cached else ""
    if getattr(given, letter) is not None:
        return f"The {plural} are given.{after}", letter
    if getattr(given, f"W_{letter}") is None:
        return f"There are no matrices: the tokens are their own {plural}.{after}", f"{letter} = X"
    plus = f" + b_{letter}" if getattr(given, f"b_{letter}") is not None else ""
    name = f"W_{letter}"
    sentence = (
        f"A token times ${name}$ is its {noun}: entry $m$ is the token times column $m$.{after}"
    )
    return sentence, f"{letter} = {source} {name}{plus}"


def scale_text(given: ComputeGiven) -> str:
    """Return the scale in LaTeX; nothing where it is 1."""
    from regard.language import parse

    if str(given.scale) == "1":
        return ""
    if given.scale == "1/sqrt(d_k)":
        return rf"\frac{{1}}{{\sqrt{{{given.d_k}}}}} \, "
    text = str(given.scale).replace("d_k", f"({given.d_k})")
    return f"{parse(text).to_latex()} \\, "


def _scores(letters: str, head: str, of_head: str, given: ComputeGiven) -> tuple[str, str]:
    if letters == "B":
        kind = given.positions.kind if given.positions else ""
        said = {
            "alibi": ("A distance costs the slope times itself.", r"b_{ij} = -m \, |i - j|"),
            "relative": ("The bias depends on key minus query.", "b_{ij} = b_{j - i}"),
            "t5": ("The bias is that of the bucket of key minus query.", "b_{ij}"),
        }
        return said.get(kind, ("These are added to the scores.", f"B{head}"))
    Q, K = ("Q'", "K'") if given.turns else ("Q", "K")
    Q, K = (r"\phi(Q)", r"\phi(K)") if given.feature_map is not None else (Q, K)
    product = {
        "dot": rf"{Q}{head} {K}{head}{{}}^\top" if head or given.turns else rf"{Q} {K}^\top",
        "cosine": r"\frac{q_i^\top k_j}{|q_i| \, |k_j|}",
        "distance": r"-\tfrac{1}{2} |q_i - k_j|^2",
        "additive": r"w^\top \tanh(q_i + k_j)",
        "bilinear": r"Q W K^\top",
    }[given.score]
    if given.scores is not None:
        product = "S"
    rule = {
        "cosine": "A score is the cosine of the angle between query and key.",
        "distance": "A score is minus half the squared distance of query and key.",
        "additive": "Query and key are added, go through tanh, and are weighed by $w$.",
        "bilinear": "A score is the query times $W$ times the key.",
    }.get(given.score, f"Row $i$ has the products of query $i$ with every key{of_head}.")
    if given.scores is not None:
        rule = "The scores are given."
    if letters == "G":
        return rule, f"G{head} = {product}"
    factor = scale_text(given)
    also = f" They are multiplied by ${factor.strip()[:-2].strip()}$." if factor else ""
    if given.softcap is not None:
        also += f" Then they are capped: $c \\tanh(z / c)$ with $c = {given.softcap}$."
        capped = rf"{given.softcap} \tanh\left({factor}{product} / {given.softcap}\right)"
        factor, product = "", capped
    bias = f" + B{head}" if given.biased else ""
    also += " The biases are added." if bias else ""
    return f"{rule}{also}", f"Z{head} = {factor}{product}{bias}"


def _weights(letters: str, head: str, of_head: str, given: ComputeGiven) -> tuple[str, str]:
    hidden = " Hidden keys get 0, and take no part in the sum." if given.hides else ""
    over = f" / {given.temperature}" if str(given.temperature) != "1" else ""
    z = f"z{head}_{{ij}}"
    match letters:
        case "E":
            return f"Powers of $e$ of the scores{of_head}.{hidden}", f"e^{{{z}{over}}}"
        case "S":
            what = z if given.divides else f"e^{{{z}{over}}}"
            return f"The sum of each row{of_head}.{hidden}", rf"s{head}_i = \sum_j {what}"
        case "LSE":
            latex = rf"\mathrm{{lse}}{head}_i = \log \sum_j e^{{{z}{over}}}"
            return f"The logarithm of the sum of powers of $e${of_head}.", latex
        case "H":
            log = r"\log_2" if given.entropy == "bits" else r"\ln"
            latex = rf"H{head}_i = -\sum_j a{head}_{{ij}} {log} a{head}_{{ij}}"
            return f"The entropy of the weights, in {given.entropy}{of_head}.", latex
    if given.weights is not None:
        return "The weights are given.", "A"
    if given.divides:
        latex = rf"a{head}_{{ij}} = \frac{{{z}}}{{\sum_l z{head}_{{il}}}}"
        return f"Weights are scores, divided by the sum of their row{of_head}.{hidden}", latex
    latex = rf"A{head} = \mathrm{{softmax}}(Z{head}{over})"
    return f"The softmax of each row{of_head}: powers of $e$ divided by their sum.{hidden}", latex


def _block(letters: str, given: ComputeGiven) -> tuple[str, str]:
    last = "O" if given.W_O is not None else "C"
    kind = given.norm.kind if given.norm else "layer"
    rule = (
        "of each token the mean is taken away, and the rest divided by its standard deviation"
        if kind == "layer"
        else "each token is divided by the root of its mean square"
    )
    norm = r"\mathrm{LN}" if kind == "layer" else r"\mathrm{RMS}"
    post = given.norm is not None and given.norm.place == "post"
    start = r"\tilde X" if given.adds else "X"
    match letters:
        case "N":
            return f"A norm comes first: {rule}.", rf"N = {norm}({start})"
        case "R":
            return "The input is added: the residual.", f"R = {start} + {last}"
        case "L":
            return f"A norm: {rule}.", rf"L = {norm}(R)"
        case "F":
            before = "L" if given.norm is not None else "R"
            net = given.feed_forward
            bias_1, bias_2 = (
                "" if net is None or getattr(net, name) is None else f" + {name}"
                for name in ("b_1", "b_2")
            )
            inner = f"{before} W_1{bias_1}"
            curve = "relu" if net is None else net.activation
            if curve != "none":
                inner = rf"\max(0, {inner})" if curve == "relu" else rf"\{_CURVES[curve]}({inner})"
            else:
                inner = f"({inner})"
            return "The feed-forward net works on each token.", f"F = {inner} W_2{bias_2}"
        case "T":
            return "The second residual.", "T = L + F"
    if given.feed_forward is None:
        inner = "R" if given.residual else last
        return f"The norm comes after the sum: {rule}.", rf"Y = {norm}({inner})"
    if post:
        return f"The second norm: {rule}.", rf"Y = {norm}(T)"
    return "The second residual.", "Y = R + F"


def _others(letters: str, part: int | None, given: ComputeGiven) -> tuple[str, str]:
    match letters:
        case "P":
            if given.positions is not None and given.positions.kind == "learned":
                return "The rows of positions are those of the table.", "P"
            return "Position $t$ has sines and cosines of slower and slower angles.", (
                r"p_{t,2i} = \sin(t / b^{2i/d}),\quad p_{t,2i+1} = \cos(t / b^{2i/d})"
            )
        case "XP":
            return "Positions are added to the tokens.", r"\tilde X = X + P"
        case "QR" | "KR":
            one = letters[0]
            noun = "query" if one == "Q" else "key"
            before = " Cached keys are turned already." * bool(one == "K" and given.turned_before)
            turned = f"Each pair of a {noun} is turned by its position times its frequency."
            return turned + before, (
                rf"{one}'_t = R_t {one.lower()}_t,\quad \theta_i = b^{{-2i/d}}"
            )
        case "QF" | "KF":
            one = letters[0]
            function = {
                "elu+1": r"\mathrm{elu}(x) + 1",
                "relu": r"\max(0, x)",
                "exp": "e^x",
                "identity": "x",
            }
            return "The feature map is applied to each entry.", (
                rf"\phi({one}),\quad \phi(x) = {function[given.feature_map or 'identity']}"
            )
        case "KV":
            return "Features of keys times values, summed over the keys: no query is needed.", (
                r"\phi(K)^\top V"
            )
        case "M":
            return "1 where a query may attend to a key; the others count as $-\\infty$.", "M"
        case "RM":
            return "The largest score seen so far, after each tile of keys.", (
                r"m_t = \max(m_{t-1}, \max_j z_j)"
            )
        case "RS":
            return "The sum so far is rescaled whenever the maximum grows.", (
                r"\ell_t = e^{m_{t-1} - m_t} \ell_{t-1} + \sum_j e^{z_j - m_t}"
            )
        case "RU":
            return f"The weighted sum of values after tile {part}, rescaled alike.", (
                r"u_t = e^{m_{t-1} - m_t} u_{t-1} + \sum_j e^{z_j - m_t} v_j"
            )
        case "C":
            if given.heads > 1:
                return "Each head averages its values; the results stand side by side.", (
                    r"C = [A^{(1)} V^{(1)}, \dots]"
                )
            return "The output is the average of the values with these weights.", "C = A V"
    plus = " + b_O" if given.b_O is not None else ""
    return "What the heads put out goes through $W_O$.", f"O = C W_O{plus}"
