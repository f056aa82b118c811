r"""The grammar of the formula language, for lark's LALR parser.

Products are where the care goes. Values side by side are multiplied before `*`, `·` and `/` are
looked at. A function without brackets takes the values that follow it (`\cos\omega_i T`), up to
the next function. A number can only come first, since `x 2` may be a slip for `x^2` or `x_2`.

What depends on the place is settled between lexer and parser, in `brackets.Places`: which bars
open and close, and that after `\frac` and `\sqrt` one digit or letter is an argument.
"""

from __future__ import annotations

from typing import Final

from regard.language.formula.vocabulary import CALL_PATTERN, FUNCTION_PATTERN, NAME_PATTERN

# What may follow a value: the same rules for a number, a call, and anything else.
_POSTFIX: Final = r"""
?{0}_power: {0}
    | {0}_power POSTFIX -> postfix
    | {0}_power CARET exponent -> power
"""

_RULES: Final = r"""
start: either

?either: both | either OR both -> logic
?both: denied | both AND denied -> logic
?denied: compared | NOT denied -> negation
?compared: sum | comparison
comparison: sum (RELATION sum)+

?sum: signed | sum SIGN signed -> binary
?signed: chain | SIGN signed -> sign
?chain: product | chain TIMES factor -> binary | chain OVER factor -> quotient
?factor: product | SIGN factor -> sign

?product: open | closed
?open: number_power | plain_power | call_power
    | open plain_power -> juxtaposed
    | open call_power -> juxtaposed
    | closed call_power -> juxtaposed
?closed: bare | open bare -> juxtaposed | closed bare -> juxtaposed
bare: FUNCTION run
    | FUNCTION CARET exponent run -> bare_power
    | FUNCTION POSTFIX run -> bare_postfix
?run: number_power | plain_power | run plain_power -> juxtaposed

number: NUMBER | FRACTION -> vulgar
call: CALL LPAR row RPAR
?plain: name
    | LPAR row RPAR -> group
    | LBRACE either RBRACE -> braced
    | LBRACKET row (SEMICOLON row)* RBRACKET -> bracketed
    | BEGIN cells (NEWROW cells)* NEWROW? END -> environment
    | LBAR either RBAR -> modulus
    | LNORM either RNORM -> norm
    | LANGLE either COMMA either RANGLE -> angle
    | FRAC argument argument -> fraction
    | SQRT (argument | parenthesis) -> root
name: NAME
row: either (COMMA either)*
cells: either (AMPERSAND either)*
argument: LBRACE either RBRACE -> braced | DIGIT -> number | LETTER -> name
parenthesis: LPAR either RPAR -> braced

exponent: exponent_atom | SIGN exponent_atom
?exponent_atom: number | plain | call
"""

_TERMINALS: Final = r"""
OR.6: /or(?![A-Za-z0-9_])|\\lor(?![A-Za-z])|\\vee(?![A-Za-z])|∨|\\text\s*\{\s*or\s*\}/
AND.6: /and(?![A-Za-z0-9_])|\\land(?![A-Za-z])|\\wedge(?![A-Za-z])|∧|\\text\s*\{\s*and\s*\}/
NOT.6: /not(?![A-Za-z0-9_])|\\lnot(?![A-Za-z])|\\neg(?![A-Za-z])|¬|\\text\s*\{\s*not\s*\}/
RELATION: /<=|>=|!=|==|=|<|>|≤|≥|≠|\\(?:leqslant|geqslant|leq|geq|le|ge|neq|ne|lt|gt)(?![A-Za-z])/
SIGN: /[+-]/
TIMES: /\*|@|×|·|⊙|∘|\\(?:times|ast|cdot|odot|circ)(?![A-Za-z])|\.(?=\s)/
OVER: "/"
CARET.2: /\^|\*\*/
POSTFIX.4: /{POSTFIX}/
COMMA: ","
SEMICOLON: ";"
AMPERSAND: "&"
NEWROW.3: /\\\\(?:\[[0-9.a-z]*\])?/
LPAR.3: /(?:\\(?:left|[bB]igg?l?)\s*)?\(/
RPAR.3: /(?:\\(?:right|[bB]igg?r?)\s*)?\)/
LBRACKET.3: /(?:\\(?:left|[bB]igg?l?)\s*)?\[/
RBRACKET.3: /(?:\\(?:right|[bB]igg?r?)\s*)?\]/
LBRACE: "{"
RBRACE: "}"
BEGIN.3: /\\begin\s*\{\s*[bp]?matrix\s*\}/
END.3: /\\end\s*\{\s*[bp]?matrix\s*\}/
LANGLE.3: /(?:\\left\s*)?(?:\\langle(?![A-Za-z])|⟨)/
RANGLE.3: /(?:\\right\s*)?(?:\\rangle(?![A-Za-z])|⟩)/
LBAR.3: /\\lvert(?![A-Za-z])|\\left\s*(?:\||\\l?vert(?![A-Za-z]))/
RBAR.3: /\\rvert(?![A-Za-z])|\\right\s*(?:\||\\r?vert(?![A-Za-z]))/
LNORM.3: /\\lVert(?![A-Za-z])|\\left\s*(?:\\\||‖|\\l?Vert(?![A-Za-z]))/
RNORM.3: /(?:\\rVert(?![A-Za-z])|\\right\s*(?:\\\||‖|\\r?Vert(?![A-Za-z]))){TWO}/
BAR: /\||\\vert(?![A-Za-z])/
NORMBAR.2: /(?:\|\||\\\||‖|\\Vert(?![A-Za-z])){TWO}/
FRAC.3: /\\[dtc]?frac(?![A-Za-z])/
SQRT.7: /\\sqrt(?![A-Za-z])|√/
NUMBER.2: /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?{TIMES_TEN}/
FRACTION: /[½⅓¼¾⅔]/
IGNORED.3: /[ \t\n]+|~|\\[,;:! ]|\\(?:quad|qquad|displaystyle|textstyle)(?![A-Za-z])/
%ignore IGNORED
%declare DIGIT LETTER
"""

# Transpose, inverse transpose, pseudo-inverse and powers such as ².
_T: Final = r"(?:T|\\top|\\intercal|\\prime|\\math(?:sf|rm)\s*\{\s*T\s*\}|⊤)"
POSTFIXES: Final = {
    "transpose": rf"'|\^\s*(?:\{{\s*{_T}\s*\}}|T(?!_)|\\(?:top|intercal|prime)(?![A-Za-z])|⊤)"
    r"|ᵀ|\.T(?![A-Za-z0-9_])",
    "inverse transpose": rf"\^\s*\{{\s*-\s*{_T}\s*\}}|\^\s*-\s*T(?![A-Za-z0-9_])|⁻ᵀ",
    "pinv": r"\^\s*(?:\{\s*(?:\+|\\dagger|†)\s*\}|\\dagger(?![A-Za-z])|†)|⁺",
    "power": r"⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+",
}

_TWO: Final = r"(?:\s*_\s*(?:2|\{\s*2\s*\}))?"
# 6.90 × 10^-13 is one number.
_TIMES_TEN: Final = r"(?:\s*(?:\\times|×)\s*10\s*\^\s*(?:\{\s*-?\s*[0-9]+\s*\}|-?[0-9]+))?"

GRAMMAR: Final = "\n".join(
    [
        _RULES,
        *(_POSTFIX.replace("{0}", kind) for kind in ("number", "plain", "call")),
        _TERMINALS.replace("{POSTFIX}", "|".join(POSTFIXES.values()))
        .replace("{TWO}", _TWO)
        .replace("{TIMES_TEN}", _TIMES_TEN),
        f"CALL.6: /{CALL_PATTERN}/",
        f"FUNCTION.5: /{FUNCTION_PATTERN}/",
        f"NAME.1: /{NAME_PATTERN}/",
    ]
)
